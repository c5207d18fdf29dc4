//! Reads the body of a response, up to a size.

use aws_sdk_s3::primitives::ByteStream;
use bytes::{Bytes, BytesMut};

use crate::reply::Reply;

/// The result of reading a body.
pub(crate) enum Body {
    Whole(Bytes),
    /// The body exceeds the limit; the rest was not read.
    TooLarge {
        bytes: u64,
    },
}

/// Reads the body, whatever its size.
pub(crate) async fn whole(stream: ByteStream, promised: Option<i64>) -> Result<Bytes, Reply> {
    match read(stream, promised, u64::MAX).await? {
        Body::Whole(bytes) => Ok(bytes),
        Body::TooLarge { bytes } => Err(Reply::Lost(format!("no end after {bytes} bytes"))),
    }
}

/// Reads the body, and compares it with the promised length (S3).
pub(crate) async fn read(
    mut stream: ByteStream,
    promised: Option<i64>,
    most: u64,
) -> Result<Body, Reply> {
    let promised = promised.and_then(|length| u64::try_from(length).ok());
    if let Some(bytes) = promised.filter(|bytes| *bytes > most) {
        return Ok(Body::TooLarge { bytes });
    }
    let mut body = BytesMut::new();
    while let Some(chunk) = stream.next().await {
        let chunk = chunk.map_err(|error| Reply::Lost(format!("the body broke off: {error}")))?;
        body.extend_from_slice(&chunk);
        let bytes = body.len() as u64;
        if bytes > most {
            return Ok(Body::TooLarge { bytes });
        }
    }
    let bytes = body.len() as u64;
    match promised {
        Some(promised) if promised != bytes => Err(Reply::Lost(format!(
            "the body broke off: bytes={bytes}, promised={promised}"
        ))),
        _ => Ok(Body::Whole(body.freeze())),
    }
}
