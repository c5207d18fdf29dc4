//! Replaces an object by compare-and-swap.

use bytes::Bytes;

use super::LoadError;
use crate::keys::Key;
use crate::ports::{BucketError, Expect, Fault, Object, Outcome, Ports, Verb};

/// The number of other writers' versions after which one call gives up.
const ROUNDS: u32 = 8;

/// The result of a change applied to the current object.
pub(crate) enum Change<T> {
    /// There is nothing left to write.
    Done(T),
    /// These bytes replace it.
    Write(Bytes),
}

pub(crate) enum Amended<T> {
    /// This object was written.
    Written(Object),
    /// The change found nothing left to write, in this object or without one.
    Done(T, Option<Object>),
}

/// Changes the object at `key` by compare-and-swap, starting from `seen`, the object as the caller
/// read it last (`None`: no object).
///
/// `change` is called again with each version that another writer leaves. It must detect its own
/// earlier effect and return [`Change::Done`]: after a lost reply the object may contain it
/// already.
///
/// 1 P; 1 G and 1 P more for each concurrent write of another writer.
///
/// # Errors
/// The store failed, other writers won every attempt, or `change` rejects the current object.
pub(crate) async fn amend<T>(
    ports: &Ports,
    key: &Key,
    mut seen: Option<Object>,
    mut change: impl FnMut(Option<&Object>) -> Result<Change<T>, LoadError>,
) -> Result<Amended<T>, LoadError> {
    let (mut attempts, mut rounds) = (ports.attempts(), 0);
    loop {
        let body = match change(seen.as_ref())? {
            Change::Done(value) => return Ok(Amended::Done(value, seen)),
            Change::Write(body) => body,
        };
        let expected = seen.as_ref().map(|object| object.version.clone());
        let expect = expected.clone().map_or(Expect::Absent, Expect::At);
        let verb = Verb::writing(&expect);
        let error = match ports.bucket.write(key, body.clone(), expect).await {
            Ok(Outcome::Landed(version)) => return Ok(Amended::Written(Object { body, version })),
            Ok(Outcome::Refused | Outcome::Unknown) => {
                seen = ports.read(key).await?;
                if let Change::Done(value) = change(seen.as_ref())? {
                    return Ok(Amended::Done(value, seen));
                }
                rounds += 1;
                if seen.as_ref().map(|object| &object.version) != expected.as_ref()
                    && rounds < ROUNDS
                {
                    continue; // another writer's version
                }
                BucketError::new(Fault::Unavailable, verb, key)
                    .because("not answered, or refused wrongly, several times")
            }
            Err(error) => error,
        };
        ports.retry(&mut attempts, error).await?;
    }
}
