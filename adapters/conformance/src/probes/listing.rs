//! Lists without concurrent changes.

use bytes::Bytes;
use millpond::keys::Key;
use millpond::ports::Expect;

use crate::finding::Finding;
use crate::subject::Subject;

/// Folders and their neighbours, without the cases in which the order differs between stores: a
/// folder beside a name that continues with `-` or `.`, which sort before `/` (`a/1`, `a-b`). No
/// list of the engine mixes such depths where its order matters (docs/protocol.md, Keys).
const MIXED: &[&str] = &[
    "-", "a/-", "a/1", "a/10", "a/2", "a/b/c", "a/b/d", "a/b0", "a0/x", "ab", "ab-", "ab-c/1",
    "ab.c", "abc/1", "b", "c/d/e/f", "c/d/e/g", "c/d0", "~",
];

pub(crate) async fn order(subject: &Subject) -> Result<(), Finding> {
    let mut keys = Vec::new();
    for name in MIXED {
        keys.push(subject.key(&format!("order/{name}"))?);
    }
    keys.sort();
    for key in keys.iter().rev() {
        let body = Bytes::from_static(b"listed");
        subject.lands(key, &body, &Expect::Absent).await?;
    }
    let belows = [
        "", "a", "a/", "ab-", "a/b", "a/b/", "a/1", "ab", "c/", "c/d", "c/d/e/", "x", "x/", "-",
    ];
    for below in belows {
        for limit in [1, 2, 1_000] {
            check(subject, below, limit, None, &keys).await?;
        }
        for after in afters(subject, &keys)? {
            check(subject, below, 3, Some(&after), &keys).await?;
        }
    }
    Ok(())
}

/// Keys to start after: each existing one, and some that do not exist. None is the folder of an
/// existing key: a key is never the folder of another (docs/protocol.md, Keys), and stores that
/// order by folder would skip the whole folder.
fn afters(subject: &Subject, keys: &[Key]) -> Result<Vec<Key>, Finding> {
    let mut afters = keys.to_vec();
    for name in [
        "0",
        "a/0",
        "a/a",
        "a/b/cc",
        "ab-b",
        "c/c",
        "c/d/e/f/g",
        "zz",
    ] {
        afters.push(subject.key(&format!("order/{name}"))?);
    }
    Ok(afters)
}

async fn check(
    subject: &Subject,
    below: &str,
    limit: usize,
    after: Option<&Key>,
    keys: &[Key],
) -> Result<(), Finding> {
    let below = format!("order/{below}");
    let start = subject.key(&format!("{below}x"))?;
    let start = start.as_str().strip_suffix('x').unwrap_or_default();
    let wanted: Vec<_> = keys
        .iter()
        .filter(|key| key.as_str().starts_with(start) && after.is_none_or(|after| *key > after))
        .cloned()
        .collect();
    subject.lists(&below, after, limit, &wanted).await
}

pub(crate) async fn pages(subject: &Subject) -> Result<(), Finding> {
    let mut keys = Vec::new();
    for number in 0..subject.scale.keys {
        // Half in one large folder, half in small folders.
        let name = match number % 2 {
            0 => format!("pages/flat/{number:06}"),
            _ => format!("pages/deep/{:04}/{:02}", number / 32, number % 32),
        };
        keys.push(subject.key(&name)?);
    }
    keys.sort();
    let body = Bytes::from_static(b"paged");
    subject
        .each(&keys, |key| async {
            subject.lands(key, &body, &Expect::Absent).await.map(drop)
        })
        .await?;
    for limit in [1_000, 997, keys.len() / 3 + 1, keys.len().max(1), 10_000] {
        subject.lists("pages/", None, limit, &keys).await?;
    }
    let middle = keys.len() / 2;
    if let Some(after) = keys.get(middle) {
        let rest = &keys[middle + 1..];
        subject.lists("pages/", Some(after), 100, rest).await?;
    }
    // A prefix that ends inside a component: about a tenth.
    let start = subject.key("pages/flat/0001")?;
    let some: Vec<_> = keys
        .iter()
        .filter(|key| key.as_str().starts_with(start.as_str()))
        .cloned()
        .collect();
    subject.lists("pages/flat/0001", None, 10, &some).await
}
