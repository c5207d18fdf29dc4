//! Messages to an execution: signals, and control messages from operators.

use serde::Serialize;

use super::{Engine, EngineError, Start, Started};
use crate::domain::{
    Actor, Body, Channel, Control, Entry, ExecutionId, Json, Mail, MessageId, Payload, Queue,
    Record, Text, ValueError, Workflow,
};
use crate::journal::Journal;
use crate::mailbox::{self, Sent};
use crate::stored;

/// A message to send. [`Engine::signal`] validates it.
#[derive(Debug, Clone)]
#[must_use = "give it to `Engine::signal`"]
pub struct Signal {
    channel: String,
    payload: Result<Json, ValueError>,
    key: Option<String>,
    confirmed: bool,
    actor: Actor,
}

/// The answer to a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Signalled {
    /// The execution receives the message of this call. So it is without a key; with one, only a
    /// call that asked for it ([`Signal::confirmed`]) has this answer.
    Fresh,
    /// The message is in the mailbox. If one with its key was received before, it is received no
    /// second time.
    Sent,
    /// A message with this key was sent before, and this call adds none.
    Known,
}

impl Signal {
    /// Creates a message on `channel`, without a value (`null`).
    pub fn on(channel: impl Into<String>) -> Self {
        Self {
            channel: channel.into(),
            payload: Ok(Json::null()),
            key: None,
            confirmed: false,
            actor: Actor::system("engine"),
        }
    }

    /// Sets its value.
    pub fn value<T: Serialize + ?Sized>(mut self, value: &T) -> Self {
        self.payload = Json::of(value);
        self
    }

    /// Sets its value, as JSON.
    pub fn json(mut self, value: Json) -> Self {
        self.payload = Ok(value);
        self
    }

    /// Sets a key: any text of 1 byte to 1 KiB. On one channel of one execution, a key is
    /// delivered once.
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// Asks whether the message of this call is the one that the execution receives. An absorbed
    /// message leaves the mailbox, so only the journal shows one with the same key: 1 G more, + 1 G
    /// for each segment.
    pub fn confirmed(mut self) -> Self {
        self.confirmed = true;
        self
    }

    /// Sets the sender.
    pub fn actor(mut self, actor: Actor) -> Self {
        self.actor = actor;
        self
    }

    /// Makes all checks that are possible before any request. Returns the value's size.
    fn check(&self) -> Result<usize, EngineError> {
        Channel::parse(&self.channel)?;
        self.key.as_deref().map(Text::parse).transpose()?;
        self.actor.check()?;
        let json = self.payload.as_ref().map_err(Clone::clone)?;
        Ok(json.as_str().len())
    }
}

impl Engine {
    /// Sends a message; returns when it is durable. The first matching receive consumes it, at
    /// any later time.
    ///
    /// Price: 1 G + 1 P, + 1 P for a value over 32 KiB; with a key that was sent and is not absorbed
    /// yet, 1 G more; [`Signal::confirmed`] costs extra.
    ///
    /// # Errors
    /// [`EngineError`]: rejected before anything is written; unknown or finished execution; the
    /// store failed (send again with the same key).
    pub async fn signal(&self, eid: ExecutionId, signal: Signal) -> Result<Signalled, EngineError> {
        let (bytes, most) = (signal.check()?, self.core.settings.max_value);
        if bytes > most {
            return Err(EngineError::PayloadTooLarge { bytes, most });
        }
        let record = self.receiver(eid).await?;
        self.message(&record, signal).await
    }

    /// Starts an execution, or finds the one that its key started, and sends it a message.
    ///
    /// Price: that of the start + 1 P (+ 1 G if it was started before).
    ///
    /// # Errors
    /// As [`Engine::start`] and [`Engine::signal`].
    pub async fn signal_with_start(
        &self,
        start: Start,
        signal: Signal,
    ) -> Result<(Started, Signalled), EngineError> {
        // Both are checked before the start is written.
        let (bytes, most) = (signal.check()?, self.core.settings.max_value);
        if bytes > most {
            return Err(EngineError::PayloadTooLarge { bytes, most });
        }
        let started = self.start(start).await?;
        let record = self.receiver(started.eid).await?;
        let signalled = self.message(&record, signal).await?;
        Ok((started, signalled))
    }

    async fn message(&self, record: &Record, signal: Signal) -> Result<Signalled, EngineError> {
        let (ports, eid) = (&self.core.ports, record.eid);
        let channel = Channel::parse(&signal.channel)?;
        let json = signal.payload?;
        self.check_message(&record.workflow, &record.version, &channel, &json)?;
        let now = ports.clock.now();
        let key = signal.key.as_deref().map(Text::parse).transpose()?;
        let mid = match &key {
            Some(key) => MessageId::keyed(channel.as_str(), key),
            None => MessageId::message(now, ports.entropy.uuid7(now)),
        };
        let nonce = key.is_some().then(|| ports.entropy.nonce());
        let mut payload = Payload::Inline(json);
        stored::offload(ports, &eid, &mut payload, self.core.settings.inline).await?;
        let body = Body::Message { channel, payload };
        let mail = Mail::new(mid, signal.actor.into(), now, body).with_nonce(nonce);
        let sent = mailbox::send(ports, &record.queue, &eid, &mail).await?;
        Ok(match (sent, key) {
            (Sent::Existed, _) => Signalled::Known,
            (Sent::New, None) => Signalled::Fresh,
            (Sent::New, Some(_)) if !signal.confirmed => Signalled::Sent,
            (Sent::New, Some(_)) => match self.absorbed(eid, &mail.mid).await? {
                Some(nonce) if nonce != mail.nonce => Signalled::Known,
                _ => Signalled::Fresh,
            },
        })
    }

    /// Returns the nonce of the message with this id that the journal contains, if it does. **\[R\]
    /// A22** Read after the create: a message that was absorbed before it was deleted before it, so
    /// the create alone shows nothing. 1 G, + 1 G for each segment.
    async fn absorbed(
        &self,
        eid: ExecutionId,
        mid: &MessageId,
    ) -> Result<Option<Option<String>>, EngineError> {
        let history = self.history(eid, 0).await?;
        let mut entries = history
            .commits
            .into_iter()
            .flat_map(|commit| commit.entries);
        Ok(entries.find_map(|entry| match entry {
            Entry::Received {
                mid: found, nonce, ..
            } if found == *mid => Some(nonce),
            _ => None,
        }))
    }

    /// Requests the cancellation of an execution: its open frames yield `Cancelled`, and its
    /// cleanup runs. 1 G + 1 P.
    ///
    /// # Errors
    /// As [`Engine::signal`].
    pub async fn cancel(
        &self,
        eid: ExecutionId,
        reason: &str,
        actor: Actor,
    ) -> Result<(), EngineError> {
        self.control(
            eid,
            Control::Cancel {
                reason: reason.to_owned(),
            },
            actor,
        )
        .await
    }

    /// Ends an execution without running its code. 1 G + 1 P.
    ///
    /// # Errors
    /// As [`Engine::signal`].
    pub async fn terminate(
        &self,
        eid: ExecutionId,
        reason: &str,
        actor: Actor,
    ) -> Result<(), EngineError> {
        self.control(
            eid,
            Control::Terminate {
                reason: reason.to_owned(),
            },
            actor,
        )
        .await
    }

    /// Suspends an execution until [`Engine::resume`]; running attempts may end. 1 G + 1 P.
    ///
    /// # Errors
    /// As [`Engine::signal`].
    pub async fn pause(
        &self,
        eid: ExecutionId,
        reason: &str,
        actor: Actor,
    ) -> Result<(), EngineError> {
        self.control(
            eid,
            Control::Pause {
                reason: reason.to_owned(),
            },
            actor,
        )
        .await
    }

    /// Resumes a paused or blocked execution. 1 G + 1 P.
    ///
    /// # Errors
    /// As [`Engine::signal`].
    pub async fn resume(&self, eid: ExecutionId, actor: Actor) -> Result<(), EngineError> {
        self.control(eid, Control::Resume { budget: None }, actor)
            .await
    }

    /// Resumes an execution, and lets it make `budget` requests a day from now on. 1 G + 1 P.
    ///
    /// # Errors
    /// As [`Engine::signal`].
    pub async fn resume_with_budget(
        &self,
        eid: ExecutionId,
        budget: u64,
        actor: Actor,
    ) -> Result<(), EngineError> {
        let budget = Some(budget);
        self.control(eid, Control::Resume { budget }, actor).await
    }

    async fn control(
        &self,
        eid: ExecutionId,
        control: Control,
        actor: Actor,
    ) -> Result<(), EngineError> {
        actor.check()?;
        let queue = self.receiver(eid).await?.queue;
        self.mail_control(eid, &queue, control, actor).await
    }

    /// Mails a command. 1 P.
    pub(super) async fn mail_control(
        &self,
        eid: ExecutionId,
        queue: &Queue,
        control: Control,
        actor: Actor,
    ) -> Result<(), EngineError> {
        let ports = &self.core.ports;
        let now = ports.clock.now();
        let mid = MessageId::control(now, ports.entropy.uuid7(now));
        let mail = Mail::new(mid, actor.into(), now, Body::Control(control.cut()));
        let _ = mailbox::send(ports, queue, &eid, &mail).await?;
        Ok(())
    }

    /// Checks a message against the channels that the workflow declares, if this process has its
    /// code.
    fn check_message(
        &self,
        workflow: &Workflow,
        version: &str,
        channel: &Channel,
        payload: &Json,
    ) -> Result<(), EngineError> {
        let Some(known) = self.core.app.find(workflow, version) else {
            return Ok(());
        };
        let declared = known.workflow.channels();
        let channel = channel.to_string();
        if declared.is_empty() {
            return Ok(());
        }
        let Some(found) = declared.iter().find(|each| each.name == channel) else {
            let known: Vec<_> = declared.iter().map(|each| each.name).collect();
            return Err(EngineError::UnknownChannel {
                workflow: workflow.clone(),
                channel,
                known: known.join(", "),
            });
        };
        found
            .accepts(payload)
            .map_err(|source| EngineError::Message {
                workflow: workflow.clone(),
                channel,
                takes: found.takes,
                source,
            })
    }

    /// Returns the record of a live execution. 1 G.
    async fn receiver(&self, eid: ExecutionId) -> Result<Record, EngineError> {
        let found = Journal::load(&self.core.ports, &eid).await?;
        let found = found.ok_or(EngineError::UnknownExecution { eid })?;
        let status = found.head.status;
        if status.is_terminal() {
            let next = self.next_of(&found).await?;
            return Err(EngineError::TerminalExecution { eid, status, next });
        }
        Ok(found.head.record)
    }
}
