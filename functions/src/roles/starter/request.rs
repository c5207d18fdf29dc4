//! Requests to the Function URL.

use jiff::Timestamp;
use serde_json::json;

use super::answer::Answer;
use super::report::{Outcome, Record};
use super::role::Starter;
use crate::events::{Malformed, Request};
use crate::triggers::{Rule, SignatureError, TriggerEvent};

impl Starter {
    /// Processes a request. The sender receives only whether it was accepted; the log has the reason.
    pub(super) async fn request(
        &self,
        request: Result<Request, Malformed>,
        until: Option<Timestamp>,
    ) -> (Answer, Record) {
        let request = match request {
            Ok(request) => request,
            Err(error) => {
                let answer = Answer::error(400, &error.to_string());
                return (answer, refusal(None, error.to_string()));
            }
        };
        let id = request.id.clone();
        let here = |rule: &&Rule| rule.serves(&request.path);
        let rules: Vec<&Rule> = self.rules.iter().filter(here).collect();
        let what = format!("{} {}", request.method, request.path);
        if rules.is_empty() {
            let record = refusal(id, format!("{what}: no trigger has this path"));
            return (Answer::error(404, "unknown path"), record);
        }
        if request.method != "POST" {
            let record = refusal(id, format!("{what}: webhooks accept only POST"));
            return (Answer::error(405, "only POST is accepted"), record);
        }
        let (mut authentic, mut why) = (Vec::new(), Vec::new());
        for rule in rules {
            match self.authenticate(rule, &request) {
                Ok(()) => authentic.push(rule),
                Err(error) => why.push(format!("{}: {error}", rule.name)),
            }
        }
        if authentic.is_empty() {
            let record = refusal(id, format!("{what}: {}", why.join("; ")));
            return (Answer::error(401, "invalid signature"), record);
        }
        let event = TriggerEvent::of_request(request);
        let mut outcomes = Vec::new();
        for rule in authentic {
            match rule.mismatch(&event) {
                None => outcomes.extend(Box::pin(self.follow(rule, &event, until)).await),
                Some(mismatch) => why.push(format!("{}: {mismatch}", rule.name)),
            }
        }
        if outcomes.is_empty() {
            outcomes.push(Outcome::Unmatched { what, why });
        }
        (answer(&outcomes), Record { id, outcomes })
    }

    fn authenticate(&self, rule: &Rule, request: &Request) -> Result<(), SignatureError> {
        let Some(verifier) = rule.verifier() else {
            return Ok(());
        };
        let secret = self.secrets.get(&verifier.secret);
        let secret = secret.ok_or_else(|| SignatureError::NoSecret {
            secret: verifier.secret.clone(),
        })?;
        verifier.verify(request, secret, self.engine.ports().clock.now())
    }
}

fn refusal(id: Option<String>, why: String) -> Record {
    Record {
        id,
        outcomes: vec![Outcome::Refused { rule: None, why }],
    }
}

fn answer(outcomes: &[Outcome]) -> Answer {
    if outcomes.iter().any(Outcome::failed) {
        return Answer::error(503, "the request was not processed: send it again");
    }
    let mut done = Vec::new();
    let mut refused = false;
    for outcome in outcomes {
        match outcome {
            Outcome::Started {
                rule, eid, fresh, ..
            } => done.push(json!({"trigger": rule, "started": eid, "fresh": fresh})),
            Outcome::Signalled { rule, eid, known } => {
                done.push(json!({"trigger": rule, "signalled": eid, "known": known}));
            }
            Outcome::Refused { .. } => refused = true,
            Outcome::Ignored { .. }
            | Outcome::Unmatched { .. }
            | Outcome::Own { .. }
            | Outcome::Failed { .. } => {}
        }
    }
    if refused && done.is_empty() {
        return Answer::error(422, "the request was refused: see the log of the function");
    }
    Answer {
        status: if done.is_empty() { 200 } else { 202 },
        body: json!({ "done": done }),
    }
}
