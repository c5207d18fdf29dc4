//! Processes invocations.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::StreamExt as _;
use futures::stream;
use jiff::Timestamp;
use millpond::client::Engine;

use super::memory::Memory;
use super::objects::Objects;
use super::report::{Outcome, Record, Report};
use crate::events::{Event, Malformed, Message};
use crate::triggers::{Own, Rules, RulesError, Secrets, TriggerEvent, TriggerEvents};

/// The most records that are processed at once.
const AT_ONCE: usize = 16;

/// The role's rules and components, for all invocations.
#[derive(Debug)]
pub struct Starter {
    pub(super) engine: Engine,
    pub(super) rules: Rules,
    pub(super) own: Option<Own>,
    pub(super) objects: Arc<dyn Objects>,
    pub(super) secrets: Secrets,
    pub(super) memory: Memory,
}

impl Starter {
    /// Checks that workflows, queues and secrets of the rules exist, and that no rule starts itself. `own`: where
    /// the engine's state is, if that is in S3.
    ///
    /// # Errors
    /// [`RulesError`] names the invalid rules.
    pub fn new(
        engine: Engine,
        rules: Rules,
        own: Option<Own>,
        objects: Arc<dyn Objects>,
        secrets: Secrets,
    ) -> Result<Self, RulesError> {
        if let Some(own) = &own {
            rules.check_own(own)?;
        }
        rules.check_app(engine.app())?;
        rules.check_queues(&engine.core().settings.queues)?;
        rules.check_secrets(&secrets)?;
        Ok(Self {
            engine,
            rules,
            own,
            objects,
            secrets,
            memory: Memory::default(),
        })
    }

    /// Refuses objects whose lines could take more than `bytes` of memory, and handles objects at the same
    /// time only as far as all of them fit. The default has no bound.
    #[must_use]
    pub fn within(mut self, bytes: usize) -> Self {
        self.memory = Memory::new(bytes);
        self
    }

    /// Whether no time is left to begin something.
    pub(super) fn late(&self, until: Option<Timestamp>) -> bool {
        until.is_some_and(|until| self.engine.ports().clock.now() >= until)
    }
}

/// Starts and signals what the rules specify for `event`; begins nothing after `until`.
///
/// Price for each start or signal: that of [`Engine::start`] with a key, or of
/// [`Engine::signal`]; for an object that is split into lines, one read more. A redelivered event
/// costs 1 G for each start.
pub async fn starter(starter: &Starter, event: Event, until: Option<Timestamp>) -> Report {
    let mut report = Report::default();
    match event {
        Event::Queue(messages) => {
            report.batch = true;
            report.records = starter.batch(messages, until).await;
        }
        Event::Request(request) => {
            let (answer, record) = starter.request(request, until).await;
            report.answer = Some(answer);
            report.records.push(record);
        }
        other => {
            report.records = starter
                .all(TriggerEvent::of_event(other, &starter.rules), until)
                .await;
        }
    }
    report.log();
    report
}

impl Starter {
    /// Processes records without an order.
    async fn all(&self, records: Vec<TriggerEvents>, until: Option<Timestamp>) -> Vec<Record> {
        let records = stream::iter(records).map(|events| async move {
            Record {
                id: None,
                outcomes: Box::pin(self.record(events, until)).await,
            }
        });
        records.buffered(AT_ONCE).collect().await
    }

    /// Processes a batch of SQS. Messages of one group (in a FIFO queue) are processed one after the
    /// other, and none after one that failed: they are redelivered in their order.
    async fn batch(
        &self,
        messages: Vec<Result<Message, Malformed>>,
        until: Option<Timestamp>,
    ) -> Vec<Record> {
        let mut lanes: BTreeMap<String, Vec<_>> = BTreeMap::new();
        for (n, message) in messages.into_iter().enumerate() {
            let group = message.as_ref().ok().and_then(|m| m.group.clone());
            let lane =
                group.map_or_else(|| format!("message {n}"), |group| format!("group {group}"));
            lanes.entry(lane).or_default().push((n, message));
        }
        let lanes = stream::iter(lanes.into_values()).map(|lane| async move {
            let mut records = Vec::new();
            let mut failed = false;
            for (n, message) in lane {
                let record = match message {
                    Ok(message) if failed => Record {
                        id: Some(message.id),
                        outcomes: vec![Outcome::Failed {
                            rule: None,
                            why: "an earlier message of its group failed".to_owned(),
                        }],
                    },
                    message => Box::pin(self.message(message, until)).await,
                };
                failed |= record.failed();
                records.push((n, record));
            }
            records
        });
        let mut records: Vec<(usize, Record)> = lanes
            .buffer_unordered(AT_ONCE)
            .collect::<Vec<_>>()
            .await
            .into_iter()
            .flatten()
            .collect();
        records.sort_by_key(|(n, _)| *n);
        records.into_iter().map(|(_, record)| record).collect()
    }

    async fn message(
        &self,
        message: Result<Message, Malformed>,
        until: Option<Timestamp>,
    ) -> Record {
        let (id, events) = match message {
            Ok(message) => (
                Some(message.id.clone()),
                TriggerEvent::of_message(message, &self.rules),
            ),
            Err(error) => (error.id.clone(), vec![Err(error)]),
        };
        Record {
            id,
            outcomes: self.record(events, until).await,
        }
    }
}
