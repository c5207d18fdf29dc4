//! D18: the object `pond`.

use std::sync::Arc;

use futures::executor::block_on;
use jiff::Timestamp;
use millpond::keys::Prefix;
use millpond::ports::{Bucket, Clock, Expect, Fault};
use millpond_testing::{
    CountingBucket, FaultBucket, Injection, ManualClock, MemoryBucket, Rule, SeededEntropy, Verb,
};

use super::{OLD, encrypted, key, long};
use crate::{Coded, Pond, PondId};

/// A process with the keyring `old`.
struct Process {
    counting: Arc<CountingBucket>,
    faults: Arc<FaultBucket>,
    pond: Arc<Pond>,
    bucket: Coded,
}

fn clock() -> Arc<dyn Clock> {
    Arc::new(ManualClock::new(Timestamp::UNIX_EPOCH))
}

fn memory() -> Arc<MemoryBucket> {
    Arc::new(MemoryBucket::new(clock()))
}

impl Process {
    fn on(memory: &Arc<MemoryBucket>, seed: u64) -> Self {
        let inner = Arc::clone(memory) as Arc<dyn Bucket>;
        let faults = Arc::new(FaultBucket::new(inner, clock()));
        let counting = Arc::new(CountingBucket::new(Arc::clone(&faults) as Arc<dyn Bucket>));
        let store = Arc::clone(&counting) as Arc<dyn Bucket>;
        let entropy = Arc::new(SeededEntropy::new(seed));
        let pond = Arc::new(Pond::new(
            Arc::clone(&store),
            clock(),
            entropy.clone(),
            encrypted(OLD),
        ));
        let bucket = Coded::new(store, encrypted(OLD), entropy, Arc::clone(&pond));
        Self {
            counting,
            faults,
            pond,
            bucket,
        }
    }

    fn write(&self, at: &str) -> Result<(), Fault> {
        let written = block_on(self.bucket.write(&key(at), long(), Expect::Absent));
        written.map(drop).map_err(|error| error.fault)
    }

    /// Whether the object is read as it was written.
    fn reads(&self, at: &str) -> Result<bool, Fault> {
        let found = block_on(self.bucket.read(&key(at)));
        let found = found.map_err(|error| error.fault)?;
        Ok(found.is_some_and(|object| object.body == long()))
    }

    fn id(&self) -> Option<PondId> {
        block_on(self.pond.id()).unwrap()
    }

    fn requests(&self) -> (u64, u64, u64) {
        let counts = self.counting.counts();
        (counts.reads, counts.writes, counts.lists)
    }
}

const HEAD: &str = "x/00/a/head";

#[test]
fn d18_an_object_that_is_moved_to_another_bucket_is_not_read() {
    let (one, other) = (memory(), memory());
    let (here, there) = (Process::on(&one, 1), Process::on(&other, 2));
    here.write(HEAD).unwrap();
    there.write("x/00/b/head").unwrap();
    assert_ne!(here.id(), there.id());
    let stored = block_on(one.read(&key(HEAD))).unwrap().unwrap();
    let moved = block_on(other.write(&key(HEAD), stored.body, Expect::Absent));
    let _ = moved.unwrap();
    assert_eq!(here.reads(HEAD), Ok(true));
    assert_eq!(there.reads(HEAD), Ok(false), "it has the same keyring");
}

#[test]
fn d18_the_first_writer_creates_the_pond_and_each_process_reads_it_once() {
    let memory = memory();
    let first = Process::on(&memory, 1);
    first.write(HEAD).unwrap();
    first.write("x/00/b/head").unwrap();
    assert_eq!(first.requests(), (1, 1 + 2, 2));
    let second = Process::on(&memory, 2);
    assert_eq!(second.reads(HEAD), Ok(true));
    second.write("x/00/c/head").unwrap();
    assert_eq!(second.requests(), (1 + 1, 1, 0));
    assert_eq!(second.id(), first.id());
}

#[test]
fn d18_the_pond_is_read_before_any_other_request() {
    let memory = memory();
    let lists = |process: &Process| {
        let prefix = Prefix::parse("mail/").unwrap();
        block_on(process.bucket.list(&prefix, None, 10)).map(drop)
    };
    let process = Process::on(&memory, 1);
    process
        .faults
        .add(Rule::new(Injection::NotSent).on(Verb::Read).under("pond"));
    assert!(lists(&process).is_err(), "it is not listed before");
    assert_eq!(process.requests(), (1, 0, 0));
    lists(&process).unwrap();
    lists(&process).unwrap();
    assert_eq!(
        process.requests(),
        (2, 0, 2),
        "an absent pond is read once for lists"
    );
    Process::on(&memory, 2).write(HEAD).unwrap();
    assert_eq!(process.reads(HEAD), Ok(true), "created since");
}

#[test]
fn d18_of_two_first_writers_one_creates_the_pond_and_both_use_it() {
    let memory = memory();
    let (first, second) = (Process::on(&memory, 1), Process::on(&memory, 2));
    // The first reads and lists before the second writes, and creates after it.
    first
        .faults
        .add(Rule::new(Injection::Held).on(Verb::Create).under("pond"));
    let unsure = first.write(HEAD);
    assert_eq!(
        unsure,
        Err(Fault::Unavailable),
        "no reply, and it is not there"
    );
    second.write("x/00/b/head").unwrap();
    let _ = block_on(first.faults.release()).unwrap();
    assert_eq!(first.id(), second.id());
    first.write(HEAD).unwrap();
    assert_eq!(second.reads(HEAD), Ok(true));
}

#[test]
fn d18_a_create_whose_reply_is_lost_is_found_by_a_read() {
    let memory = memory();
    let process = Process::on(&memory, 1);
    let lost = Rule::new(Injection::LandedReplyLost).on(Verb::Create);
    process.faults.add(lost.under("pond"));
    process.write(HEAD).unwrap();
    assert_eq!(Process::on(&memory, 2).reads(HEAD), Ok(true));
}

#[test]
fn d18_a_pond_that_was_lost_is_restored_and_never_replaced() {
    let memory = memory();
    let before = Process::on(&memory, 1);
    before.write(HEAD).unwrap();
    let id = before.id().unwrap();
    block_on(memory.delete(&key("pond"))).unwrap();
    let after = Process::on(&memory, 2);
    assert_eq!(after.reads(HEAD), Err(Fault::Denied));
    assert_eq!(after.write("x/00/b/head"), Err(Fault::Denied));
    assert_eq!(after.id(), None, "nothing was created");
    // No object can be read under another id, and nothing would ever replace it.
    let other = "00000000000000000000000000000001".parse().unwrap();
    let refused = block_on(after.pond.restore(other)).unwrap_err();
    assert!(refused.source.unwrap().to_string().contains(HEAD));
    assert_eq!(after.id(), None, "nothing was created");
    block_on(after.pond.restore(id)).unwrap();
    assert_eq!(after.reads(HEAD), Ok(true));
    let refused = block_on(Process::on(&memory, 3).pond.restore(other)).unwrap_err();
    assert!(
        refused
            .source
            .unwrap()
            .to_string()
            .contains(&id.to_string())
    );
}

#[test]
fn d18_mail_alone_shows_that_the_bucket_was_used() {
    let memory = memory();
    let mail = key("mail/default/00/a/0.start");
    let _ = block_on(memory.write(&mail, long(), Expect::Absent)).unwrap();
    let process = Process::on(&memory, 1);
    assert_eq!(process.write(HEAD), Err(Fault::Denied));
}

#[test]
fn d18_a_read_that_fails_is_no_absent_pond() {
    let memory = memory();
    Process::on(&memory, 1).write(HEAD).unwrap();
    let process = Process::on(&memory, 2);
    process
        .faults
        .add(Rule::new(Injection::NotSent).on(Verb::Read).under("pond"));
    assert_eq!(process.write("x/00/b/head"), Err(Fault::Unavailable));
    process.write("x/00/b/head").unwrap();
}

#[test]
fn d18_an_id_is_32_hex_digits() {
    let id = "00112233445566778899aabbccddeeff";
    assert_eq!(id.parse::<PondId>().unwrap().to_string(), id);
    for bad in [
        "",
        "0",
        "+0112233445566778899aabbccddeeff",
        "zz112233445566778899aabbccddeeff",
    ] {
        assert!(bad.parse::<PondId>().is_err(), "{bad}");
    }
}
