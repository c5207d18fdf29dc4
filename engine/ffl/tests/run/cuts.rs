//! Z1: a worker that is killed at any request.

use std::collections::BTreeSet;
use std::time::Duration;

use millpond::domain::{Entry, ExecutionId};
use millpond_testing::{Injection, Rule, World};

use super::harness::{Setup, Universal, path_of};

/// One program with most features.
const PROGRAM: &str = r#"
namespace n {
    schema Pair { a: Json, b: Json }
    event facet E(x: Json, fail: Json = null) => (x: Json)
    event facet Ask(topic: String) => (prompt: Json) prompt { template "on {topic}" }
    facet Lock(name: String) => (token: String) andThen {
        e = E(x = $.name ++ "!")
        yield Lock(token = e.x)
    }
    facet Guarded(x: Json) => (y: Json) with Lock(name = "a") as a with Lock(name = "b") as b andThen {
        e = E(x = [$.x, $.a.token, $.b.token])
        yield Guarded(y = e.x)
    } catch { yield Guarded(y = $.error) }
    facet Extra(c: Int)
    facet Plain(p: Json, q: Json = 9)
    implicit quiet = Plain(q = 8)
    workflow W(l: [Int] = [1, 2, 3]) => (all: Json, last: Json, none: Json = "unset")
        andThen {
            one = E(x = 1)
            two = E(x = one.x + 1) with Timeout(minutes = 1) andThen {
                deep = E(x = two.x + one.x)
                yield W(all = [deep.x], last = "deep")
            }
            pair = Pair(a = one.x, b = two.x)
            guarded = Guarded(x = pair.a)
            plain = Plain(p = guarded.y) with Extra(c = 3) as extra
            ask = Ask(topic = "ponds")
            bad = E(x = 0, fail = "broken") catch when {
                case bad.error == "broken" => { mend = E(x = bad.error) yield W(all = [mend.x]) }
                case _ => { }
            }
            yield W(all = [pair.b, guarded.y, plain.q, plain.extra.c, ask.prompt], last = "outer")
        }
        andThen foreach v in $.l {
            e = E(x = v.none) catch { f = E(x = $.v) yield W(all = [f.x]) }
        }
        andThen when {
            case one.x == 1 => { w = E(x = "when") yield W(all = [w.x]) }
            case _ => { never = E(x = "never") }
        }
}
"#;

fn completed(world: &World, eid: ExecutionId) -> BTreeSet<String> {
    let journal = world.block(world.engine.journal(eid, 1, usize::MAX));
    let commits = journal.map(|page| page.commits).unwrap_or_default();
    let entries = commits.iter().flat_map(|commit| &commit.entries);
    let done = entries.filter_map(|entry| match entry {
        Entry::FrameCompleted { fid, .. } | Entry::FrameFailed { fid, .. } => {
            Some(path_of(fid.as_str()))
        }
        _ => None,
    });
    done.collect()
}

#[test]
fn z1_a_kill_at_any_request_changes_no_result_and_repeats_no_completed_work() {
    let setup = Setup::of(PROGRAM);
    let handler = Universal::default();
    let first = World::new(setup.app(&handler));
    let eid = first.start(setup.start().key("w")).eid;
    let worker = first.beside(setup.app(&handler), "w2", 2);
    worker.run_all();
    let expected = worker
        .result::<serde_json::Value>(eid)
        .expect("it completes");
    assert_eq!(expected["last"], "deep");
    let calls = handler.sorted();
    let requests = worker.faults.requests();
    assert!(requests > 10, "{requests}");
    let ways = [
        Injection::Died,
        Injection::LandedAndDied,
        Injection::LandedReplyLost,
        Injection::NotSent,
    ];
    for at in 0..requests {
        for way in &ways {
            let first = World::new(setup.app(&Universal::default()));
            let eid = first.start(setup.start().key("w")).eid;
            let cut = first.beside(setup.app(&Universal::default()), "w2", 2);
            cut.faults.add(Rule::new(*way).at(at));
            cut.run_all();
            let done = completed(&first, eid);
            let handler = Universal::default();
            let last = first.beside(setup.app(&handler), "w3", 3);
            last.skip(Duration::from_secs(60));
            let place = format!("{way:?} at {at}");
            assert_eq!(last.result(eid), Ok(expected.clone()), "{place}");
            let again = handler.sorted();
            for (path, _) in &again {
                assert!(!done.contains(path), "{path} ran again: {place}");
            }
            let all: BTreeSet<&(String, String)> = calls.iter().collect();
            assert!(
                again.iter().all(|call| all.contains(call)),
                "{place}: {again:?}"
            );
        }
    }
}
