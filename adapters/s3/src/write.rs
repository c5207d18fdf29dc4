//! Writing one object.

use std::time::Duration;

use bytes::Bytes;
use millpond::keys::Key;
use millpond::ports::{Backoff, BucketError, Expect, Fault, Outcome, Version};

use crate::bucket::S3Bucket;
use crate::fault::{Meaning, Verb, meaning};
use crate::reply::Reply;

/// Tries of a write that meets another one under way.
pub(crate) const ATTEMPTS: u32 = 8;
/// Pauses between tries, of which each draws a share: 2.3 s in all at the most.
const BACKOFF: Backoff = Backoff::new(Duration::from_millis(20), Duration::from_secs(1));

impl S3Bucket {
    /// One PUT, conditional; more only after a 409.
    ///
    /// A 409 (`ConditionalRequestConflict`, `OperationAborted`) says that this write did not
    /// happen, and not whether the other one did: of ten concurrent creators, all may receive it. Taken
    /// as *refused* it would lose a claim that nobody holds; so it is tried again, after a
    /// pause with full jitter. The last one is an error that may pass.
    pub(crate) async fn put(
        &self,
        key: &Key,
        body: &Bytes,
        expect: &Expect,
    ) -> Result<Outcome, BucketError> {
        let verb = match expect {
            Expect::Absent => Verb::Create,
            Expect::At(_) => Verb::Replace,
        };
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
            // As the store gave it, quotes and all.
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
        // It landed, but without its version nobody can build on it: the writer reads.
        let none = || Reply::Lost("an answer without an ETag".to_owned());
        answer.e_tag.map(Version::new).ok_or_else(none)
    }
}

/// Full jitter: those that met do not meet again.
fn pause(attempt: u32) -> Duration {
    let mut random = [0; 4];
    // Without randomness the whole pause: later, and never wrong.
    let share = match getrandom::fill(&mut random) {
        Ok(()) => f64::from(u32::from_le_bytes(random)) / f64::from(u32::MAX),
        Err(_) => 1.0,
    };
    BACKOFF.after(attempt).mul_f64(share)
}
