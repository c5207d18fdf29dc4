//! Costs and limits of runs, time-outs and cancellation.

use std::time::Duration;

use jiff::Timestamp;
use millpond::client::{App, Start};
use millpond::domain::{Actor, Status};
use millpond::{Attempt, StepError};
use millpond_ffl::explain::explain;
use millpond_ffl::run::{Call, Handler, Handlers, MAX_DEPTH, MAX_ELEMENTS};
use millpond_ffl::states::{Derivation, State};
use millpond_testing::World;
use serde_json::{Value, json};

use super::harness::{Setup, run};

/// A workflow of `count` steps that refer to nothing.
fn independent(count: usize) -> Setup {
    let steps: String = (0..count).map(|n| format!("s{n} = E(x = {n})\n")).collect();
    Setup::of(&format!(
        "namespace n {{ event facet E(x: Int) => (x: Int) workflow W() => () andThen {{ {steps} }} }}"
    ))
}

#[test]
fn r1_independent_steps_begin_together_with_one_barrier() {
    let requests = |count| {
        let setup = independent(count);
        let world = World::new(setup.app(&super::harness::Universal::default()));
        let eid = world.start(setup.start()).eid;
        let ((), counts) = world.counted(World::run_all);
        assert_eq!(world.result::<Value>(eid), Ok(json!({})));
        format!("{counts:?}")
    };
    assert_eq!(requests(20), requests(2));
}

/// Steps nested in bodies: the innermost has `depth - 1` steps around it.
fn nested(depth: u32) -> Setup {
    let open: String = (1..depth)
        .map(|n| format!("s{n} = E(x = {n}) andThen {{\n"))
        .collect();
    let close = "}\n".repeat(depth as usize - 1);
    Setup::of(&format!(
        "namespace n {{ event facet E(x: Int) => (x: Int) workflow W() => (x: Int) andThen {{
            {open} last = E(x = 0) yield W(x = last.x) {close} }} }}"
    ))
}

#[test]
fn r9_bodies_nest_128_levels_and_no_more() {
    assert_eq!(run(&nested(MAX_DEPTH)).outcome, Ok(json!({"x": 0})));
    let failed = run(&nested(MAX_DEPTH + 1)).outcome.expect_err("too deep");
    assert!(failed.starts_with("TooDeep: 1 failed: "), "{failed}");
    assert!(
        failed.contains("bodies are nested too deeply: limit=128: step=b0/s1/b0/"),
        "{failed}"
    );
}

#[test]
fn r9_recursion_without_end_is_too_deep() {
    let setup = Setup::of(
        "namespace n {
            facet F(n: Int) => () andThen when {
                case $.n > 0 => { f = F(n = $.n + 1) }
                case _ => { }
            }
            workflow W() => () andThen { f = F(n = 1) }
        }",
    );
    let failed = run(&setup).outcome.expect_err("too deep");
    assert!(failed.starts_with("TooDeep: "), "{failed}");
}

const LONG: &str = "namespace n {
    event facet E(x: Int) => (x: Int)
    workflow W(l: [Int]) => (all: Json) andThen foreach v in $.l {
        e = E(x = $.v)
        yield W(all = [e.x])
    }
}";

#[test]
fn r11_of_a_long_list_64_elements_run_at_the_same_time() {
    let setup = Setup::of(LONG);
    let list: Vec<i64> = (0..200).collect();
    let input = json!({"l": list});
    let mut derived = Derivation::new(&setup.program, "n.W", &input, Timestamp::UNIX_EPOCH);
    assert_eq!(derived.open().len(), 64);
    let (path, call) = derived.open().remove(0);
    assert!(derived.deliver(&path, Ok(call.params), Timestamp::UNIX_EPOCH));
    assert_eq!(derived.open().len(), 64);
    let ran = run(&Setup { input, ..setup });
    assert_eq!(ran.outcome, Ok(json!({"all": list})));
}

/// Imports this many files, and returns the number of requests.
fn import(files: usize) -> u64 {
    let setup = Setup::of(include_str!("../../../../examples/ffl/import/import.ffl"));
    let names: Vec<String> = (0..files).map(|number| format!("{number}.csv")).collect();
    let list = move |_: Call| {
        let names = names.clone();
        async move { Ok::<_, StepError>(json!({ "names": names })) }
    };
    let load = |call: Call| async move {
        let params = call.params.to_json();
        let name = params["name"].as_str().unwrap_or_default();
        match name.ends_with("7.csv") {
            true => Err(StepError::new("BadFile", "no header")),
            false => Ok(json!({"rows": name.len(), "cents": 5})),
        }
    };
    let handlers = Handlers::new();
    let handlers = handlers.closure("files.List", list).expect("a name");
    let handlers = handlers.closure("files.Load", load).expect("a name");
    let world = World::new(setup.program.register(App::new(), handlers));
    let eid = world
        .start(Start::new("files.Import").input(&json!({"folder": "in"})))
        .eid;
    let ((), counts) = world.counted(World::run_all);
    let result: Value = world.result(eid).expect("it completes");
    let count = |name: &str| result[name].as_array().expect("a list").len();
    assert_eq!(
        (count("files"), count("failed")),
        (files * 9 / 10, files / 10)
    );
    assert_eq!(
        result["files"][8],
        json!({"name": "9.csv", "rows": 5, "cents": 5})
    );
    counts.write_requests()
}

#[test]
fn r11_an_import_of_3_000_files_takes_requests_in_proportion() {
    let (some, many) = (import(300), import(3_000));
    assert!(many <= 10 * some, "{some} {many}");
    assert!(many < 3_000 / 4, "{many}");
}

/// Never answers.
#[derive(Debug)]
struct Silent;

#[async_trait::async_trait]
impl Handler for Silent {
    async fn handle(&self, _: Attempt, _: Call) -> Result<Value, StepError> {
        std::future::pending().await
    }
}

#[test]
fn t4_timeout_adds_its_units_and_that_of_the_call_comes_first() {
    let cases = [
        (
            "E() with Timeout(hours = 1, minutes = 1, seconds = 1, ms = 500)",
            3661.5,
        ),
        ("E()", 7.0),
        ("E() with Timeout(seconds = 0)", 7.0),
        (
            "E() with Timeout(seconds = 0.25) with Timeout(seconds = 2.5)",
            2.5,
        ),
        ("F()", 4.0 * 3600.0),
    ];
    for (call, seconds) in cases {
        let setup = Setup::of(&format!(
            "namespace n {{
                event facet E() => () with Timeout(seconds = 7)
                event facet F() => ()
                workflow W() => (kind: Json) andThen {{
                    e = {call} catch {{ yield W(kind = e.error_type) }}
                }}
            }}"
        ));
        let handlers = Handlers::new().register("n.*", Silent).expect("a pattern");
        let world = World::new(setup.program.register(App::new(), handlers));
        let eid = world.start(Start::new("n.W").input(&json!({}))).eid;
        world.skip(Duration::from_secs(5 * 3600));
        assert_eq!(world.result(eid), Ok(json!({"kind": "timeout"})), "{call}");
        let tree = world.block(explain(&world.engine, eid, &setup.program));
        let tree = tree.expect("it is explained");
        let (first, last) = (tree.states[0].at, tree.states[tree.states.len() - 1].at);
        let took = last.duration_since(first).as_secs_f64();
        assert!((took - seconds).abs() < 0.01, "{call}: {took}");
    }
}

#[test]
fn t4_a_timeout_beyond_the_end_of_time_never_ends_an_attempt() {
    let setup = Setup::of(
        "namespace n {
            event facet E(x: Int) => (x: Int)
            workflow W() => (x: Json) andThen {
                e = E(x = 1) with Timeout(hours = 9223372036854775807, seconds = 1.5)
                yield W(x = e.x)
            }
        }",
    );
    assert_eq!(run(&setup).outcome, Ok(json!({"x": 1})));
}

#[test]
fn k1_a_foreach_takes_a_million_elements_and_no_more() {
    let setup = Setup::of(
        "namespace n { workflow W(l: Json) => (x: Json = 1) andThen foreach v in $.l { } }",
    );
    let end = |count: usize| {
        let input = json!({"l": vec![0; count]});
        let run = Derivation::new(&setup.program, "n.W", &input, Timestamp::UNIX_EPOCH);
        run.result().expect("it ends").clone()
    };
    assert!(end(10_000).is_ok());
    let fault = end(MAX_ELEMENTS + 1).expect_err("too many");
    assert_eq!((&*fault.kind, &*fault.path), ("TooManyElements", "b0"));
    assert_eq!(
        &*fault.message,
        "1 failed: the list of a foreach is too long: elements=1000001, max=1000000"
    );
}

#[test]
fn e5_a_handler_that_reports_the_kind_of_a_cancellation_is_caught() {
    let setup = Setup::of(
        r#"namespace n {
            event facet E(fail: String, kind: String) => ()
            workflow W() => (all: Json) andThen {
                e = E(fail = "by the handler", kind = "cancelled") catch {
                    yield W(all = [e.error, e.error_type])
                }
            }
        }"#,
    );
    let expected = json!({"all": ["by the handler", "cancelled"]});
    assert_eq!(run(&setup).outcome, Ok(expected));
}

#[test]
fn e5_a_cancellation_on_the_engine_ends_the_execution_as_cancelled() {
    let setup = Setup::of(
        "namespace n {
            event facet E(x: Int) => ()
            workflow W(l: [Int] = [1, 2]) => (x: Json) andThen foreach v in $.l {
                a = E(x = $.v) catch { b = E(x = 2) }
            } catch { yield W(x = $.error) }
        }",
    );
    let handlers = Handlers::new().register("n.*", Silent).expect("a pattern");
    let world = World::new(setup.program.register(App::new(), handlers));
    let eid = world.start(setup.start()).eid;
    let cancel = world
        .engine
        .cancel(eid, "no longer needed", Actor::human("ana"));
    world.block(cancel).expect("it has not ended");
    world.run_all();
    assert_eq!(world.status(eid), Status::Cancelled);
    let tree = world.block(explain(&world.engine, eid, &setup.program));
    let tree = tree.expect("it is explained");
    assert_eq!(tree.state(), State::Error);
    assert!(tree.all().iter().all(|node| !node.path.contains('k')));
}

#[test]
fn e5_a_cancellation_runs_no_catch() {
    let setup = Setup::of(
        "namespace n {
            event facet E(x: Int) => (x: Int)
            workflow W() => (x: Json) andThen {
                a = E(x = 1) catch { b = E(x = 2) }
                c = E(x = 3)
                d = E(x = c.x)
            } catch { yield W(x = $.error) }
        }",
    );
    let mut run = Derivation::new(&setup.program, "n.W", &json!({}), Timestamp::UNIX_EPOCH);
    assert_eq!(run.open().len(), 2);
    run.cancel(Timestamp::UNIX_EPOCH);
    let fault = run
        .result()
        .expect("it ends")
        .clone()
        .expect_err("it is cancelled");
    assert!(fault.is_cancelled());
    assert_eq!(
        fault.to_string(),
        "cancelled: the execution was asked to stop"
    );
    let tree = run.tree().expect("it began");
    let mut paths: Vec<&str> = tree.all().iter().map(|node| node.path.as_str()).collect();
    paths.sort_unstable();
    assert_eq!(paths, ["", "b0", "b0/a", "b0/c"]);
}

#[test]
fn t3_a_facet_without_a_handler_fails_with_its_name() {
    let setup = independent(1);
    let world = World::new(setup.program.register(App::new(), Handlers::new()));
    let eid = world.start(setup.start()).eid;
    world.run_all();
    let failed = world.result::<Value>(eid).expect_err("no handler");
    let expected =
        "NoHandler: 1 failed: no handler is registered for the facet: facet=n.E: step=b0/s0";
    assert_eq!(failed, expected);
}

#[test]
fn t5_returns_that_are_no_object_fail_the_step() {
    let setup = independent(1);
    let three = |_: Call| async { Ok::<_, StepError>(json!(3)) };
    let handlers = Handlers::new().closure("n.E", three).expect("a name");
    let world = World::new(setup.program.register(App::new(), handlers));
    let eid = world.start(setup.start()).eid;
    world.run_all();
    let failed = world.result::<Value>(eid).expect_err("no object");
    assert!(
        failed.starts_with("InvalidReturns: 1 failed: a handler returns an object"),
        "{failed}"
    );
}

#[test]
fn t2_an_exact_name_comes_before_the_longest_prefix() {
    let named = |name: &'static str| {
        move |_: Call| async move { Ok::<_, StepError>(json!({ "by": name })) }
    };
    let handlers = Handlers::new();
    let handlers = handlers.closure("*", named("all")).expect("a pattern");
    let handlers = handlers.closure("a.*", named("a")).expect("a pattern");
    let handlers = handlers.closure("a.b.*", named("a.b")).expect("a pattern");
    let handlers = handlers.closure("a.b.F", named("F")).expect("a name");
    for bad in ["", "a*", ".*", "a..b", "a.*.b", "a b"] {
        assert!(handlers.clone().register(bad, Silent).is_err(), "{bad}");
    }
    let setup = Setup::of(
        "namespace a.b { event facet F() => (by: Json) event facet G() => (by: Json) }
        namespace a { event facet H() => (by: Json) }
        namespace ab { event facet I() => (by: Json) }
        namespace n { workflow W() => (all: Json) andThen {
            f = a.b.F() g = a.b.G() h = a.H() i = ab.I()
            yield W(all = [f.by, g.by, h.by, i.by])
        } }",
    );
    let world = World::new(setup.program.register(App::new(), handlers));
    let eid = world.start(setup.start()).eid;
    world.run_all();
    assert_eq!(
        world.result(eid),
        Ok(json!({"all": ["F", "a.b", "a", "all"]}))
    );
}
