//! Many concurrent tasks.

use bytes::Bytes;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use millpond::keys::Key;
use millpond::ports::{Expect, Outcome};

use crate::finding::Finding;
use crate::subject::{Order, Subject};

type Racer<T> = BoxFuture<'static, Result<T, Finding>>;

/// All creators race for the same keys; each key must go to exactly one.
pub(crate) async fn create(subject: &Subject) -> Result<(), Finding> {
    let mut keys = Vec::new();
    for round in 0..subject.scale.rounds {
        keys.push(subject.key(&format!("create-race/{round}"))?);
    }
    let racers = (0..subject.scale.racers).map(|racer| {
        let (subject, keys) = (subject.clone(), keys.clone());
        let body = Bytes::from(format!("racer {racer}"));
        async move {
            let mut landed = Vec::new();
            for key in &keys {
                let outcome = subject.write(key, &body, &Expect::Absent).await?;
                landed.push(matches!(outcome, Outcome::Landed(_)));
            }
            Ok((body, landed))
        }
        .boxed()
    });
    let ended: Vec<(Bytes, Vec<bool>)> = subject.race(racers.collect()).await?;
    for (round, key) in keys.into_iter().enumerate() {
        let winners: Vec<_> = ended.iter().filter(|(_, landed)| landed[round]).collect();
        let [(body, _)] = winners[..] else {
            let landed = winners.len();
            return Err(Finding::Winners { key, landed });
        };
        subject.holds(&key, body).await?;
    }
    Ok(())
}

/// Half the racers add lines to one object, `rounds` lines each; no line may be lost.
pub(crate) async fn replace(subject: &Subject) -> Result<(), Finding> {
    let key = subject.key("replace-race/ledger")?;
    let start = Bytes::from_static(b"ledger\n");
    subject.lands(&key, &start, &Expect::Absent).await?;
    let (writers, rounds) = (subject.scale.racers.div_ceil(2), subject.scale.rounds);
    let racers = (0..writers).map(|writer| {
        let (subject, key) = (subject.clone(), key.clone());
        async move {
            for round in 0..rounds {
                // Each refusal is caused by another task's line; a few more may come from retries
                // of the store.
                add(&subject, &key, &line(writer, round), writers * rounds + 64).await?;
            }
            Ok(())
        }
        .boxed()
    });
    let _: Vec<()> = subject.race(racers.collect()).await?;
    let found = subject.read(&key).await?.map(|object| object.body);
    let found = String::from_utf8_lossy(found.as_deref().unwrap_or_default()).into_owned();
    for (writer, round) in (0..writers).flat_map(|w| (0..rounds).map(move |r| (w, r))) {
        let update = line(writer, round);
        let times = found.lines().filter(|line| *line == update).count();
        if times != 1 {
            return Err(Finding::Updates { key, update, times });
        }
    }
    Ok(())
}

fn line(writer: usize, round: usize) -> String {
    format!("writer {writer} round {round}")
}

/// Adds a line by compare-and-swap. The line itself shows whether a write without a reply landed.
async fn add(subject: &Subject, key: &Key, line: &str, attempts: usize) -> Result<(), Finding> {
    let mut unsure = false;
    for _ in 0..attempts {
        let Some(object) = subject.read(key).await? else {
            return Err(Finding::Missing { key: key.clone() });
        };
        let text = String::from_utf8_lossy(&object.body);
        if unsure && text.lines().any(|found| found == line) {
            return Ok(());
        }
        let body = Bytes::from(format!("{text}{line}\n"));
        match subject
            .bucket
            .write(key, body, Expect::At(object.version))
            .await?
        {
            Outcome::Landed(_) => return Ok(()),
            Outcome::Refused => {}
            Outcome::Unknown => unsure = true,
        }
    }
    let key = key.clone();
    Err(Finding::Starved { key, attempts })
}

/// A delete races with replaces. Replaces before it are deleted with the object, and those after it
/// are refused: either way the object is absent.
pub(crate) async fn delete(subject: &Subject) -> Result<(), Finding> {
    for round in 0..subject.scale.rounds * 4 {
        let key = subject.key(&format!("delete-race/{round}"))?;
        let body = Bytes::from_static(b"to be deleted");
        let version = subject.lands(&key, &body, &Expect::Absent).await?;
        let mut racers: Vec<Racer<()>> = Vec::new();
        for racer in 0..4 {
            let (subject, key) = (subject.clone(), key.clone());
            let expect = Expect::At(version.clone());
            let body = Bytes::from(format!("racer {racer}"));
            let replace = async move { subject.write(&key, &body, &expect).await.map(drop) };
            racers.push(replace.boxed());
        }
        let (subject_, key_) = (subject.clone(), key.clone());
        let delete = async move { Ok(subject_.bucket.delete(&key_).await?) };
        racers.insert(round % 5, delete.boxed());
        let _: Vec<()> = subject.race(racers).await?;
        subject.is_absent(&key).await?;
    }
    subject.lists("delete-race/", None, 1_000, &[]).await
}

/// Objects are deleted and created beside others that stay; every listing returns all that stay.
pub(crate) async fn churn(subject: &Subject) -> Result<(), Finding> {
    let folders = subject.scale.racers;
    let (mut stay, mut go) = (Vec::new(), Vec::new());
    for folder in 0..folders {
        // Two folder levels: one keeps a neighbour, the other is created and deleted as a whole.
        stay.push(subject.key(&format!("churn/{folder:03}/kept/stays"))?);
        go.push(subject.key(&format!("churn/{folder:03}/kept/goes"))?);
        go.push(subject.key(&format!("churn/{folder:03}/pruned/goes"))?);
    }
    let body = Bytes::from_static(b"churned");
    let all = stay.iter().chain(&go);
    subject
        .each(all, |key| async {
            subject.lands(key, &body, &Expect::Absent).await.map(drop)
        })
        .await?;
    let rounds = subject.scale.rounds;
    let mut racers: Vec<Racer<()>> = Vec::new();
    for part in go.chunks(go.len().div_ceil(4).max(1)) {
        racers.push(come_and_go(subject.clone(), part.to_vec(), rounds).boxed());
    }
    for _ in 0..2 {
        let (subject, stay) = (subject.clone(), stay.clone());
        racers.push(
            async move {
                for _ in 0..rounds {
                    shows(&subject, &stay).await?;
                }
                Ok(())
            }
            .boxed(),
        );
    }
    let _: Vec<()> = subject.race(racers).await?;
    subject.lists("churn/", None, 1_000, &stay).await
}

async fn come_and_go(subject: Subject, keys: Vec<Key>, rounds: usize) -> Result<(), Finding> {
    for round in 0..rounds {
        for key in &keys {
            subject.bucket.delete(key).await?;
        }
        if round + 1 < rounds {
            for key in &keys {
                // Bodies differ, since the body identifies a create without a reply.
                let body = Bytes::from(format!("round {round}"));
                subject.lands(key, &body, &Expect::Absent).await?;
            }
        }
    }
    Ok(())
}

async fn shows(subject: &Subject, stay: &[Key]) -> Result<(), Finding> {
    let listed = subject.list_all("churn/", None, 7, Order::Bytes).await?;
    let shown = |key: &Key| {
        listed
            .binary_search_by(|listed| listed.key.cmp(key))
            .is_ok()
    };
    match stay.iter().find(|key| !shown(key)) {
        None => Ok(()),
        Some(key) => Err(Finding::Missing { key: key.clone() }),
    }
}
