//! Each request is counted once, by its verb and its outcome.

use std::sync::Arc;

use bytes::Bytes;
use futures::executor::block_on;
use millpond::domain::ExecutionId;
use millpond::keys::{self, Kind};
use millpond::ports::{Bucket, Expect, Fault, Outcome, Verb};
use millpond_testing::{Injection, Rule};

use super::{key, store};
use crate::{Metered, Tally};

fn eid() -> ExecutionId {
    ExecutionId::parse("00000000-0000-7000-8000-0000000000a7").expect("an id")
}

#[test]
fn each_request_is_counted_by_verb_kind_and_end() {
    let (faults, _) = store();
    let metered = Metered::new(Arc::clone(&faults) as Arc<dyn Bucket>);
    let head = keys::head(&eid());
    let body = Bytes::from_static(b"seven b");
    let Ok(Outcome::Landed(version)) = block_on(metered.write(&head, body.clone(), Expect::Absent))
    else {
        panic!("the first create lands");
    };
    let again = block_on(metered.write(&head, body.clone(), Expect::Absent));
    assert_eq!(again.unwrap(), Outcome::Refused);
    faults.add(Rule::new(Injection::LandedReplyLost));
    let lost = block_on(metered.write(&head, body, Expect::At(version)));
    assert_eq!(lost.unwrap(), Outcome::Unknown);
    for injection in [Injection::SlowDown(None), Injection::Error(Fault::Denied)] {
        faults.add(Rule::new(injection).on(Verb::Read));
        assert!(block_on(metered.read(&head)).is_err());
    }
    assert!(block_on(metered.read(&head)).unwrap().is_some());
    assert!(block_on(metered.read(&key("stranger"))).unwrap().is_none());
    let mailbox = keys::mailbox(&"default".parse().unwrap(), &eid());
    block_on(metered.list(&mailbox, None, 10)).unwrap();
    block_on(metered.delete(&head)).unwrap();

    let usage = metered.usage();
    let tally = |requests| Tally {
        requests,
        ..Tally::default()
    };
    assert_eq!(
        *usage.of(Verb::Create, Kind::Head),
        Tally {
            sent: 14,
            refused: 1,
            ..tally(2)
        }
    );
    assert_eq!(
        *usage.of(Verb::Replace, Kind::Head),
        Tally {
            sent: 7,
            unknown: 1,
            ..tally(1)
        }
    );
    assert_eq!(
        *usage.of(Verb::Read, Kind::Head),
        Tally {
            received: 7,
            throttled: 1,
            failed: 1,
            ..tally(3)
        }
    );
    assert_eq!(*usage.of(Verb::Read, Kind::Other), tally(1));
    assert_eq!(*usage.of(Verb::List, Kind::Mail), tally(1));
    assert_eq!(*usage.of(Verb::Delete, Kind::Head), tally(1));
    assert_eq!(usage.total().requests, faults.requests());
    assert_eq!((usage.write_requests(), usage.read_requests()), (4, 4));
}

#[test]
fn what_was_added_since_is_the_difference() {
    let (faults, _) = store();
    let metered = Metered::new(faults as Arc<dyn Bucket>);
    block_on(metered.read(&key("a"))).unwrap();
    let before = metered.usage();
    assert_eq!(before.since(&before).total(), Tally::default());
    for _ in 0..3 {
        block_on(metered.delete(&key("a"))).unwrap();
    }
    let added = metered.usage().since(&before);
    assert_eq!(added.total().requests, 3);
    assert_eq!(added.by_verb(Verb::Delete).requests, 3);
    assert_eq!(added.read_requests(), 0);
}
