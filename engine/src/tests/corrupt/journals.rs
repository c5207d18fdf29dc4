//! Heads, segments, large values.

use super::{ANSWER, Took, blocked_by, damages, found, newer, put, resume, run, town, town_where};
use super::{App, sequential};
use crate::client::{Asleep, Finding, Signal, Start};
use crate::domain::{Actor, Entry, ExecutionId, MessageId, Queue, Status};
use crate::keys::{self, Key, MailKey};
use crate::ports::Fault;
use crate::settings::Settings;
use crate::testing::{Injection, Rule, World};
use crate::{Context, Failed};

/// The segments that a head names: not those that were merged away.
fn named(world: &World, eid: ExecutionId) -> Vec<Key> {
    let head: serde_json::Value = world.head(eid).get().unwrap();
    let sealed = head["sealed"].as_array().unwrap().iter();
    sealed
        .map(|sealed| Key::parse(sealed["key"].as_str().unwrap()).unwrap())
        .collect()
}

fn segment(world: &World, eid: ExecutionId, last: bool) -> Key {
    let mut named = named(world, eid);
    assert!(named.len() > 1, "{named:?}");
    named.swap_remove(if last { named.len() - 1 } else { 0 })
}

/// A large value: that of the input, which a replay reads, or that of the message.
fn blob(world: &World, eid: ExecutionId, letter: u8) -> Key {
    let mut rows = world.memory.snapshot().into_iter();
    let under = format!("{eid}/blob/");
    let blob = rows.find(|(key, body)| key.as_str().contains(&under) && body[1] == letter);
    blob.unwrap().0
}

type Which = fn(&World, ExecutionId) -> Key;

#[test]
fn i2_a_broken_segment_or_blob_blocks_by_name_and_is_whole_again_after_a_resume() {
    let kinds: [(&str, Which); 4] = [
        ("first segment", |world, eid| segment(world, eid, false)),
        ("last segment", |world, eid| segment(world, eid, true)),
        ("input", |world, eid| blob(world, eid, b'i')),
        ("message", |world, eid| blob(world, eid, b't')),
    ];
    for (kind, which) in kinds {
        let first = town();
        let whole = found(&first.world, &which(&first.world, first.victim)).unwrap();
        let other = if kind.ends_with("segment") {
            found(&first.world, &which(&first.world, first.neighbours[0])).unwrap()
        } else {
            "\"another's\"".into()
        };
        for (what, body) in damages(&whole, &other) {
            let what = format!("{kind}, {what}");
            let town = town();
            let (world, victim) = (&town.world, town.victim);
            let key = which(world, victim);
            put(world, &key, body.as_ref());
            assert_eq!(run(&town, &key, &what), Took::Blocked, "{what}");
            assert_eq!(found(world, &key), body, "{what}: it was written");
            let audit = world.block(world.engine.audit()).unwrap();
            let broken = |finding: &Finding| matches!(finding, Finding::Broken { eid, key: k, .. } if *eid == victim && *k == key);
            assert!(
                audit.findings.len() == 1 && broken(&audit.findings[0]),
                "{what}: {:?}",
                audit.findings
            );
            // What comes meanwhile is absorbed; an operator who repeats the command receives the same error.
            let more = Signal::on("in").value("another text, another blob");
            world.signal(victim, more).unwrap();
            world.run_all();
            resume(world, victim);
            assert_eq!(blocked_by(world, victim), key.as_str(), "{what}");
            assert!(world.with_work().is_empty(), "{what}: mail is left");
            put(world, &key, Some(&whole));
            resume(world, victim);
            assert_eq!(world.result::<u64>(victim), Ok(ANSWER), "{what}");
            assert!(world.with_work().is_empty(), "{what}");
            let audit = world.block(world.engine.audit()).unwrap();
            assert_eq!(audit.findings, [], "{what}");
        }
    }
}

#[test]
fn i2_a_broken_head_is_named_is_never_written_over_and_loses_no_mail() {
    let first = town();
    let whole = found(&first.world, &keys::head(&first.victim)).unwrap();
    let other = found(&first.world, &keys::head(&first.neighbours[0])).unwrap();
    let mut all = damages(&whole, &other);
    all.retain(|(_, body)| body.is_some());
    all.push(("newer".to_owned(), Some(newer(&whole))));
    let mut ended = 0;
    for (what, body) in &all {
        let town = town();
        let (world, victim) = (&town.world, town.victim);
        let key = keys::head(&victim);
        put(world, &key, body.as_ref());
        match run(&town, &key, what) {
            Took::Named => {
                assert_eq!(found(world, &key), *body, "{what}: it was written");
                let audit = world.block(world.engine.audit()).unwrap();
                let named = audit.findings.iter().all(|finding| match finding {
                    Finding::Corrupt { key: k, .. } | Finding::Newer { key: k, .. } => *k == key,
                    _ => false,
                });
                assert!(named && !audit.findings.is_empty(), "{what}");
                put(world, &key, Some(&whole));
                world.run_all();
            }
            Took::Ended => ended += 1,
            Took::Blocked => panic!("{what}: a head that cannot be read was written"),
        }
        assert_eq!(world.result::<u64>(victim), Ok(ANSWER), "{what}");
    }
    assert!(ended < all.len() / 10, "{ended} of {}", all.len());
}

/// Receives, works until that is sealed, sends a message to another, and waits again.
async fn passes_on(ctx: Context, to: ExecutionId) -> Result<u64, Failed> {
    let received = ctx.receive::<u64>("in").await?;
    let sum = sequential(ctx.clone(), 6).await?;
    ctx.send(to, "in", &received)?;
    Ok(sum + ctx.receive::<u64>("in").await?)
}

async fn counts(ctx: Context, _: ()) -> Result<u64, Failed> {
    Ok(ctx.receive::<u64>("in").await?)
}

#[test]
fn i6_what_an_unreadable_segment_covers_is_dispatched_before_anything_is_committed() {
    let app = App::new()
        .workflow("passes_on", "1", passes_on)
        .workflow("counts", "1", counts);
    let settings = Settings {
        tail: 700,
        segment: 900,
        ..Settings::default()
    };
    let world = World::with_settings(app, settings);
    let to = world.start(Start::new("counts")).eid;
    let eid = world.start(Start::new("passes_on").input(&to)).eid;
    world.run_all();
    world.signal(eid, Signal::on("in").value(&7_u64)).unwrap();
    // It dies after its last commit: the message is not sent.
    let mailbox = keys::mailbox(&Queue::default(), &to).to_string();
    let denied = Rule::new(Injection::Error(Fault::Denied)).under(mailbox);
    world.faults.add(denied.on_writes().always());
    world.run(eid).unwrap_err();
    world.faults.heal();
    assert_eq!(world.status(eid), Status::Suspended);
    assert!(world.causes(to).mail.is_empty());
    let mail = world.causes(eid).mail.pop().expect("it is listed still");
    let mid = MailKey::parse(&mail).unwrap().mid;
    let (key, whole) = named(&world, eid)
        .into_iter()
        .map(|key| (key.clone(), found(&world, &key).unwrap()))
        .find(|(_, body)| String::from_utf8_lossy(body).contains(mid.as_str()))
        .expect("what absorbed it is sealed");
    put(&world, &key, None);
    world.run_all();
    assert_eq!(blocked_by(&world, eid), key.as_str());
    assert_eq!(world.result::<u64>(to), Ok(7), "it was sent");
    put(&world, &key, Some(&whole));
    resume(&world, eid);
    assert_eq!(
        world.status(eid),
        Status::Suspended,
        "it receives that once"
    );
    let unread = world.block(world.engine.unread(eid)).unwrap();
    assert_eq!(unread, [], "it was consumed, and absorbed once more");
    world.signal(eid, Signal::on("in").value(&1_u64)).unwrap();
    world.run_all();
    assert_eq!(world.result::<u64>(eid), Ok(16));
}

#[test]
fn an_execution_whose_segment_is_lost_for_good_can_still_be_ended() {
    let town = town();
    let (world, victim) = (&town.world, town.victim);
    let key = segment(world, victim, false);
    put(world, &key, None);
    assert_eq!(run(&town, &key, "lost"), Took::Blocked);
    let by = Actor::human("ada");
    world
        .block(world.engine.cancel(victim, "please", by.clone()))
        .unwrap();
    world.run_all();
    assert_eq!(
        world.status(victim),
        Status::Blocked,
        "its code cannot clean up"
    );
    world
        .block(world.engine.terminate(victim, "give up", by))
        .unwrap();
    world.run_all();
    assert_eq!(world.status(victim), Status::Terminated);
    assert!(world.with_work().is_empty());
}

#[test]
fn the_reason_of_a_block_is_reported_even_after_much_mail_has_sealed_it() {
    let town = town();
    let (world, victim) = (&town.world, town.victim);
    let key = segment(world, victim, false);
    put(world, &key, None);
    assert_eq!(run(&town, &key, "lost"), Took::Blocked);
    for n in 0..8_u64 {
        world.signal(victim, Signal::on("else").value(&n)).unwrap();
        world.run_all();
    }
    let head: String = world.head(victim).as_str().to_owned();
    assert!(
        !head.contains("execution.blocked"),
        "it is in the tail still"
    );
    assert_eq!(blocked_by(world, victim), key.as_str());
}

#[test]
fn i3_a_message_that_a_broken_segment_holds_already_is_not_delivered_twice() {
    let early = Signal::on("else").value(&1_u64);
    let town = town_where(|world, victim| world.signal(victim, early.clone()).unwrap());
    let (world, victim) = (&town.world, town.victim);
    let key = segment(world, victim, false);
    // The message is in the victim's first segment; a sender's late retry puts it there again.
    let is_early = |key: &Key| {
        MailKey::parse(key).is_some_and(|mail| mail.eid == victim && mail.mid != MessageId::start())
    };
    let late = world.memory.recorded();
    let (sent, late) = late.into_iter().find(|(key, _)| is_early(key)).unwrap();
    let mid = MailKey::parse(&sent).unwrap().mid;
    let whole = found(world, &key).unwrap();
    assert!(String::from_utf8_lossy(&whole).contains(&format!("\"mid\":\"{mid}\"")));
    put(world, &key, None);
    put(world, &sent, Some(&late));
    assert_eq!(run(&town, &key, "lost"), Took::Blocked);
    put(world, &key, Some(&whole));
    resume(world, victim);
    assert_eq!(world.result::<u64>(victim), Ok(ANSWER));
    let entries = super::super::entries(world, victim);
    let own = |entry: &&Entry| matches!(entry, Entry::Received { mid: found, .. } if *found == mid);
    let times = entries.iter().filter(own).count();
    assert_eq!(times, 2, "it was absorbed once more");
}

#[test]
fn a_child_whose_head_is_broken_is_its_own_finding_and_not_its_parents() {
    let app = super::app().workflow("parent", "1", |ctx: crate::Context, ()| async move {
        Ok::<u64, crate::Failed>(ctx.child_named::<u64>("nap", &()).await?)
    });
    let world = World::new(app);
    let parent = world.start(crate::client::Start::new("parent")).eid;
    world.run_all();
    let frames = world.block(world.engine.frames(parent)).unwrap();
    let key = keys::head(&frames.frames[0].child.unwrap());
    put(&world, &key, Some(&"no head".into()));
    let audit = world.block(world.engine.audit()).unwrap();
    assert!(
        matches!(&audit.findings[..], [Finding::Corrupt { key: k, .. }] if *k == key),
        "{:?}",
        audit.findings
    );
    put(&world, &key, None);
    let audit = world.block(world.engine.audit()).unwrap();
    let asleep = |finding: &Finding| matches!(finding, Finding::Asleep { eid, why: Asleep::NoResult, .. } if *eid == parent);
    assert!(audit.findings.iter().any(asleep), "{:?}", audit.findings);
}
