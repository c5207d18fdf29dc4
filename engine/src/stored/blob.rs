//! Values too large to inline in an entry: `x/{sh}/{eid}/blob/{sha256}`, create only.
//!
//! A blob is created before the object that refers to it, under the execution that holds the
//! reference, so it lives as long as that execution. Crash between the two: an unreferenced blob,
//! which is deleted with the prefix.

use std::time::Duration;

use bytes::Bytes;

use super::LoadError;
use crate::domain::{Digest, ExecutionId, Json, Payload};
use crate::keys::{self, Key};
use crate::ports::{BucketError, Ports};

/// Replaces a value over `most` bytes by a reference. 1 P if it is over, else none.
pub(crate) async fn offload(
    ports: &Ports,
    eid: &ExecutionId,
    payload: &mut Payload,
    most: usize,
) -> Result<(), BucketError> {
    offload_until(ports, eid, payload, most, None).await
}

/// As [`offload`]; with `until`, retried up to that instant of the monotonic clock.
pub(crate) async fn offload_until(
    ports: &Ports,
    eid: &ExecutionId,
    payload: &mut Payload,
    most: usize,
    until: Option<Duration>,
) -> Result<(), BucketError> {
    if let Payload::Inline(json) = payload
        && json.as_str().len() > most
    {
        let body = Bytes::copy_from_slice(json.as_str().as_bytes());
        let (sha256, bytes) = (Digest::of(&body), body.len() as u64);
        // An existing object is a success: the key names the bytes.
        let _ = ports
            .create_until(&keys::blob(eid, sha256.as_str()), body, until)
            .await?;
        *payload = Payload::Blob { sha256, bytes };
    }
    Ok(())
}

/// Returns the value itself. 1 G if it is a reference.
pub(crate) async fn resolve(
    ports: &Ports,
    eid: &ExecutionId,
    payload: &Payload,
) -> Result<Json, LoadError> {
    let sha256 = match payload {
        Payload::Inline(json) => return Ok(json.clone()),
        Payload::Blob { sha256, .. } => sha256,
    };
    resolve_at(ports, keys::blob(eid, sha256.as_str()), sha256).await
}

/// Reads the value of this digest at `key`. 1 G.
pub(crate) async fn resolve_at(
    ports: &Ports,
    key: Key,
    sha256: &Digest,
) -> Result<Json, LoadError> {
    let Some(found) = ports.read(&key).await? else {
        return Err(LoadError::Missing { key });
    };
    if Digest::of(&found.body) != *sha256 {
        return Err(LoadError::corrupt(
            &key,
            "its bytes are not those its key names",
        ));
    }
    serde_json::from_slice(&found.body).map_err(|error| LoadError::corrupt(&key, error))
}

/// Copies a payload from `from` to `to`. 1 G and 1 P if it is a blob, else none.
pub(crate) async fn carry(
    ports: &Ports,
    from: &ExecutionId,
    to: &ExecutionId,
    payload: &Payload,
    inline: usize,
) -> Result<Payload, LoadError> {
    let mut carried = match payload {
        Payload::Blob { .. } => Payload::Inline(resolve(ports, from, payload).await?),
        Payload::Inline(_) => payload.clone(),
    };
    offload(ports, to, &mut carried, inline).await?;
    Ok(carried)
}
