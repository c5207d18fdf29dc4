//! One object, one task.

use bytes::Bytes;
use millpond::ports::{Expect, Outcome};

use crate::finding::Finding;
use crate::subject::{Order, Subject};

const ONE: Bytes = Bytes::from_static(b"one");
const TWO: Bytes = Bytes::from_static(b"two");
const THREE: Bytes = Bytes::from_static(b"three");

pub(crate) async fn create(subject: &Subject) -> Result<(), Finding> {
    let key = subject.key("create/one")?;
    subject.is_absent(&key).await?;
    let version = subject.lands(&key, &ONE, &Expect::Absent).await?;
    if subject.holds(&key, &ONE).await? != version {
        return Err(Finding::Version { key });
    }
    subject.is_refused(&key, &TWO, &Expect::Absent).await?;
    // The refused body is stored nowhere, and a second write of the same bytes is refused as well.
    subject.holds(&key, &ONE).await?;
    // Calls the bucket directly: otherwise the equal body would resolve a lost reply as landed.
    match subject.bucket.write(&key, ONE, Expect::Absent).await? {
        Outcome::Refused | Outcome::Unknown => {}
        got @ Outcome::Landed(_) => {
            let wanted = "refused";
            return Err(Finding::Ended { key, wanted, got });
        }
    }
    subject.lists("create/", None, 10, &[key]).await
}

pub(crate) async fn replace(subject: &Subject) -> Result<(), Finding> {
    let key = subject.key("replace/one")?;
    let first = subject.lands(&key, &ONE, &Expect::Absent).await?;

    // A version that exists, on a key that does not.
    let nothing = subject.key("replace/nothing")?;
    let at_first = Expect::At(first.clone());
    subject.is_refused(&nothing, &TWO, &at_first).await?;
    subject.is_absent(&nothing).await?;

    let second = subject.lands(&key, &TWO, &at_first).await?;
    if second == first {
        return Err(Finding::SameVersion { key });
    }
    if subject.holds(&key, &TWO).await? != second {
        return Err(Finding::Version { key });
    }
    subject.is_refused(&key, &THREE, &at_first).await?;
    subject.holds(&key, &TWO).await?;

    subject.bucket.delete(&key).await?;
    let at_second = Expect::At(second);
    subject.is_refused(&key, &THREE, &at_second).await?;
    subject.is_absent(&key).await?;
    subject.lists("replace/", None, 10, &[]).await
}

pub(crate) async fn delete(subject: &Subject) -> Result<(), Finding> {
    let (key, stays) = (subject.key("delete/one")?, subject.key("delete/stays")?);
    subject.bucket.delete(&key).await?;
    subject.lands(&key, &ONE, &Expect::Absent).await?;
    subject.lands(&stays, &ONE, &Expect::Absent).await?;
    subject.bucket.delete(&key).await?;
    subject.is_absent(&key).await?;
    subject
        .lists("delete/", None, 10, std::slice::from_ref(&stays))
        .await?;
    subject.bucket.delete(&key).await?;
    subject.holds(&stays, &ONE).await?;
    // The key is free again.
    subject.lands(&key, &TWO, &Expect::Absent).await?;
    subject.holds(&key, &TWO).await?;
    Ok(())
}

pub(crate) async fn bytes(subject: &Subject) -> Result<(), Finding> {
    // Every byte value, with a period that does not divide a block size.
    let large = (0..subject.scale.large).map(|at| (at % 256 + at / 257) as u8);
    let bodies = [
        ("empty", Bytes::new()),
        ("all", (0..=255).collect()),
        ("crlf", Bytes::from_static(b"\xef\xbb\xbfa\r\nb\n\0\r")),
        ("large", large.collect()),
    ];
    for (name, body) in &bodies {
        let key = subject.key(&format!("bytes/{name}"))?;
        let first = subject.lands(&key, body, &Expect::Absent).await?;
        subject.holds(&key, body).await?;
        for listed in subject
            .list_all(&format!("bytes/{name}"), None, 10, Order::Bytes)
            .await?
        {
            let (got, wanted) = (listed.size, body.len() as u64);
            if got != wanted {
                return Err(Finding::Size { key, wanted, got });
            }
        }
        // From any body to any other: also to an empty one and back.
        let second = subject.lands(&key, &TWO, &Expect::At(first)).await?;
        subject.holds(&key, &TWO).await?;
        subject.lands(&key, body, &Expect::At(second)).await?;
        subject.holds(&key, body).await?;
    }
    Ok(())
}
