//! Writes one object.

use std::time::Duration;

use bytes::Bytes;
use millpond::keys::Key;
use millpond::ports::{Backoff, BucketError, Expect, Fault, Outcome, Verb, Version};

use crate::bucket::S3Bucket;
use crate::fault::{Meaning, meaning};
use crate::reply::Reply;

/// Attempts of a write that conflicts with a concurrent one.
pub(crate) const ATTEMPTS: u32 = 8;
/// Pauses between attempts, each with full jitter: at most 2.3 s in all.
const BACKOFF: Backoff = Backoff::new(Duration::from_millis(20), Duration::from_secs(1));

impl S3Bucket {
    /// One conditional PUT; more only after a 409.
    ///
    /// A 409 (`ConditionalRequestConflict`, `OperationAborted`) shows that this write had no
    /// effect, but not whether the other one landed: of ten concurrent creators, all may receive
    /// it. Mapping it to *refused* would lose a claim that has no holder; so the write is retried,
    /// after a pause with full jitter. After the last attempt, the error is transient.
    pub(crate) async fn put(
        &self,
        key: &Key,
        body: &Bytes,
        expect: &Expect,
    ) -> Result<Outcome, BucketError> {
        let verb = Verb::writing(expect);
        let mut attempt = 0;
        loop {
            attempt += 1;
            let reply = match self.try_put(key, body, expect).await {
                Ok(version) => return Ok(Outcome::Landed(version)),
                Err(reply) => reply,
            };
            match meaning(verb, &reply) {
                Meaning::Refused => return Ok(Outcome::Refused),
                Meaning::Unknown => {
                    tracing::debug!(%key, ?reply, "a write was not answered");
                    return Ok(Outcome::Unknown);
                }
                Meaning::Conflict if attempt < ATTEMPTS => {
                    tokio::time::sleep(pause(attempt)).await;
                }
                Meaning::Conflict | Meaning::Absent => {
                    return Err(reply.into_error(Fault::Unavailable, verb, key));
                }
                Meaning::Trouble(fault) => return Err(reply.into_error(fault, verb, key)),
            }
        }
    }

    async fn try_put(&self, key: &Key, body: &Bytes, expect: &Expect) -> Result<Version, Reply> {
        let watch = self.watch();
        let asked = self
            .client
            .put_object()
            .bucket(&self.name)
            .key(self.root.key(key))
            .body(body.clone().into());
        let asked = match expect {
            Expect::Absent => asked.if_none_match("*"),
            // Exactly as the store returned it, including quotes.
            Expect::At(version) => asked.if_match(version.as_str()),
        };
        let asked = asked.customize().interceptor(watch.clone());
        let sent = async {
            asked
                .send()
                .await
                .map_err(|error| Reply::of(&error, &watch))
        };
        let answer = self.in_time(&watch, sent).await?;
        // The write landed, but a commit cannot build on it without its version: the writer reads.
        let none = || Reply::Lost("an answer without an ETag".to_owned());
        answer.e_tag.map(Version::new).ok_or_else(none)
    }
}

/// Full jitter: concurrent writers that conflicted do not retry at the same time.
fn pause(attempt: u32) -> Duration {
    let mut random = [0; 4];
    // Without randomness, the whole pause: later, but still correct.
    let share = match getrandom::fill(&mut random) {
        Ok(()) => f64::from(u32::from_le_bytes(random)) / f64::from(u32::MAX),
        Err(_) => 1.0,
    };
    BACKOFF.after(attempt).mul_f64(share)
}
