//! Values from end to end: they survive unchanged, or are refused by type before any write.

mod names;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{App, Ended};
use crate::client::{EngineError, Signal, Start};
use crate::domain::{ExecutionId, Json, Payload, Status, ValueError, kind};
use crate::settings::Settings;
use crate::testing::{Counts, World};
use crate::{Context, Failed, Retry, StepError, feed};

async fn same(_: Context, value: Value) -> Result<Value, Failed> {
    Ok(value)
}

async fn echo(value: Value) -> Result<Value, StepError> {
    Ok(value)
}

/// The value on every way there is: input, step, message, child, announcement, result.
async fn mirror(ctx: Context, value: Value) -> Result<Vec<Value>, Failed> {
    let step = ctx.call("echo", echo, &value).await?;
    ctx.announce("reported", &value)?;
    let message: Value = ctx.receive("in").await?;
    let child: Value = ctx.child_named("same", &value).await?;
    ctx.send(ctx.eid(), "again", &value)?;
    let sent: Value = ctx.receive("again").await?;
    Ok(vec![value, step, message, child, sent])
}

fn app() -> App {
    App::new()
        .workflow("same", "1", same)
        .workflow("mirror", "1", mirror)
}

#[track_caller]
fn survives(world: &World, value: &Json) {
    let eid = world.start(Start::new("mirror").json(value.clone())).eid;
    world.run_all();
    let signal = Signal::on("in").json(value.clone());
    world.signal(eid, signal).unwrap();
    world.run_all();
    let back: Vec<Value> = world.result(eid).unwrap();
    assert_eq!(back.len(), 5);
    for value_back in back {
        assert_eq!(Json::of(&value_back).unwrap().digest(), value.digest());
    }
    assert_eq!(announced(world, eid).digest(), value.digest());
    assert_plain_keys(world);
}

/// What `eid` announced in the feed.
fn announced(world: &World, eid: ExecutionId) -> Json {
    let ports = &world.engine.core().ports;
    let reported = world.block(async {
        let keys = feed::events(ports, None, None).await.unwrap();
        let keys: Vec<_> = keys.into_iter().map(|(key, _)| key).collect();
        feed::read(ports, &keys, 4).await.unwrap()
    });
    let mine = reported.into_iter().filter(|reported| reported.eid == eid);
    let mut values = mine
        .flat_map(|reported| reported.events)
        .filter(|event| event.kind == "announce.reported")
        .filter_map(|event| event.value);
    let value = values.next().expect("it was reported");
    let value = world.block(crate::stored::resolve(ports, &eid, &value));
    value.unwrap()
}

#[track_caller]
fn assert_plain_keys(world: &World) {
    for (key, _) in world.memory.snapshot() {
        assert!(crate::keys::Key::parse(key.as_str()).is_ok(), "{key}");
    }
}

#[test]
fn odd_values_survive_every_way_there_is() {
    let deep = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n));
    let world = World::new(app());
    for text in [
        "null",
        "[9007199254740993,-9223372036854775808,18446744073709551615]",
        "[-0.0,0.0,5e-324,1.7976931348623157e308,0.1,1e21,1.0,1]",
        r#"["\u0000","\ud83e\udd96","u\u0308","ü","\n\"\\",""]"#,
        r#"{"":1,"b":{"\u0000":[]},"a":{},"\ud83e\udd96":null}"#,
    ] {
        survives(&world, &Json::parse(text).unwrap());
    }
    // One less deep: what `mirror` returns holds it.
    survives(&world, &Json::parse(&deep(99)).unwrap());
}

#[test]
fn values_of_a_mebibyte_become_blobs_and_survive() {
    let world = World::new(app());
    for text in ["x".repeat(1 << 20), "\u{1f996}\0\"".repeat(100_000)] {
        survives(&world, &Json::of(&text).unwrap());
    }
    let rows = world.memory.snapshot();
    assert!(rows.iter().any(|(key, _)| key.as_str().contains("/blob/")));
    for (key, body) in rows {
        let small = body.len() < 96 << 10;
        let large = key.as_str().contains("/blob/") || key.as_str().contains("/log/");
        assert!(small || large, "{key}: {} bytes", body.len());
    }
}

#[test]
fn a_value_on_either_side_of_the_inline_bound_survives() {
    for bytes in [16 << 10, 32 << 10] {
        for more in [-3_i32, -2, -1, 0, 1] {
            let world = World::new(app());
            let text = "x".repeat(usize::try_from(bytes + more).unwrap());
            survives(&world, &Json::of(&text).unwrap());
        }
    }
}

fn nothing(counts: Counts) -> bool {
    counts == Counts::default()
}

#[test]
fn bad_values_of_callers_are_refused_by_type_before_any_request() {
    let world = World::new(app());
    let eid = world.start(Start::new("mirror").input(&1)).eid;
    let deep = (0..101).fold(Value::Null, |inner, _| json!([inner]));
    let composite = BTreeMap::from([((1, 2), 3)]);
    let (errors, counts) = world.counted(|w| {
        let start = |start| w.block(w.engine.start(start)).unwrap_err();
        let signal = |signal| w.signal(eid, signal).unwrap_err();
        [
            start(Start::new("same").input(&f64::NAN)),
            start(Start::new("same").input(&vec![Some(f32::INFINITY)])),
            start(Start::new("same").input(&u128::MAX)),
            start(Start::new("same").input(&deep)),
            start(Start::new("same").input(&composite)),
            signal(Signal::on("in").value(&f64::NEG_INFINITY)),
            signal(Signal::on("in").value(&deep)),
            signal(Signal::on("in").value(&i128::MIN)),
        ]
    });
    assert!(nothing(counts), "{counts:?}");
    for error in errors {
        let EngineError::Value(value) = error else {
            panic!("{error}");
        };
        assert!(!matches!(value, ValueError::Deserialize { .. }), "{value}");
    }
}

/// What one bad value does in a workflow: whether it was refused, and as what.
async fn bad(ctx: Context, way: String) -> Result<String, Failed> {
    let nan = f64::NAN;
    let error = match way.as_str() {
        "call" => ctx
            .call("f", |_: f64| async { Ok::<_, StepError>(1) }, &nan)
            .await
            .err(),
        "step" => {
            let retry = Retry::exponential(5);
            ctx.step(
                "f",
                move || async move { Ok::<_, StepError>(vec![Some(nan)]) },
            )
            .retry(retry)
            .await
            .err()
        }
        "child" => ctx.child_named::<f64>("same", &nan).await.err(),
        "spawn" => ctx.spawn_named("same", &nan).start().err(),
        "send" => ctx.send(ctx.eid(), "in", &nan).err(),
        "announce" => ctx.announce("reported", &nan).err(),
        _ => None,
    };
    Ok(
        Failed::from(error.ok_or_else(|| Failed::new("None", "taken"))?)
            .kind()
            .to_owned(),
    )
}

async fn nan(_: Context, (): ()) -> Result<f64, Failed> {
    Ok(f64::NAN)
}

#[test]
fn bad_values_of_a_workflow_are_refused_by_type_and_leave_no_entry() {
    for way in ["call", "child", "spawn", "send", "announce", "step"] {
        let world = World::new(app().workflow("bad", "1", bad));
        let started = world.start(Start::new("bad").input(way));
        let (ended, counts) = world.counted(|w| w.run(started.eid));
        assert_eq!(ended.unwrap(), Ended::Terminal(Status::Completed), "{way}");
        assert_eq!(
            world.result::<String>(started.eid),
            Ok(kind::VALUE.to_owned())
        );
        // The final commit and the feed; a step is begun once, and not again.
        let writes = if way == "step" { 3 } else { 2 };
        assert_eq!(counts.writes, writes, "{way}");
        let head = world.head(started.eid).as_str().to_owned();
        assert_eq!(head.contains("frame."), way == "step", "{way}: {head}");
    }
    let world = World::new(App::new().workflow("nan", "1", nan));
    let eid = world.start(Start::new("nan")).eid;
    world.run_all();
    assert_eq!(
        world.outcome(eid).get::<f64>().unwrap_err().kind,
        kind::VALUE
    );
}

async fn large(ctx: Context, n: usize) -> Result<u32, Failed> {
    let mut attempts = 0;
    let begun = std::sync::Arc::new(std::sync::atomic::AtomicU32::new(0));
    let count = std::sync::Arc::clone(&begun);
    let step = ctx.step("large", move || {
        count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        async move { Ok::<_, StepError>("x".repeat(n)) }
    });
    let error = step.retry(Retry::exponential(5)).await.unwrap_err();
    attempts += begun.load(std::sync::atomic::Ordering::Relaxed);
    let failed = Failed::from(error);
    let named = failed.kind() == kind::PAYLOAD_TOO_LARGE && failed.message().contains("bytes=2050");
    Ok(if named { attempts } else { 1_000 })
}

#[test]
fn a_value_over_the_cap_fails_its_step_once_with_its_size() {
    let settings = Settings {
        max_value: 2_048,
        ..Settings::default()
    };
    let world = World::with_settings(app().workflow("large", "1", large), settings);
    let eid = world.start(Start::new("large").input(&2_048)).eid;
    world.run_all();
    assert_eq!(world.result::<u32>(eid), Ok(1));
    let text = "x".repeat(2_047);
    let (errors, counts) = world.counted(|w| {
        let start = Start::new("same").input(&text);
        let signal = Signal::on("in").value(&text);
        [
            w.block(w.engine.start(start)).unwrap_err(),
            w.signal(eid, signal).unwrap_err(),
        ]
    });
    assert!(nothing(counts), "{counts:?}");
    for error in errors {
        let sized = matches!(
            error,
            EngineError::PayloadTooLarge {
                bytes: 2_049,
                most: 2_048
            }
        );
        assert!(sized, "{error}");
    }
    let kept = world
        .start(Start::new("same").input(&"x".repeat(2_046)))
        .eid;
    world.run_all();
    assert_eq!(world.status(kept), Status::Completed);
}

async fn talkative(ctx: Context, (): ()) -> Result<(), Failed> {
    let text = "\u{1f996}".repeat(250_000);
    ctx.step("f", move || {
        let text = text.clone();
        async move { Err::<(), _>(StepError::new("Talkative", text)) }
    })
    .await?;
    Ok(())
}

#[test]
fn a_huge_error_text_is_cut_with_a_mark() {
    let world = World::new(App::new().workflow("talkative", "1", talkative));
    let eid = world.start(Start::new("talkative")).eid;
    world.skip(std::time::Duration::from_secs(3_600));
    let failure = world.outcome(eid).get::<()>().unwrap_err();
    assert_eq!(failure.kind, "Talkative");
    assert!(failure.message.len() < 9_000 && failure.message.contains("... [cut, 1000000 bytes]"));
}

#[test]
fn a_blob_is_stored_under_its_referrer() {
    let world = World::new(app());
    let text = Json::of(&"x".repeat(40_000)).unwrap();
    let eid = world.start(Start::new("mirror").json(text.clone())).eid;
    world.run_all();
    let execution = world.block(world.engine.execution(eid)).unwrap();
    let Payload::Blob { sha256, .. } = execution.record.args else {
        panic!("inline");
    };
    let key = crate::keys::blob(&eid, sha256.as_str());
    assert!(
        world
            .memory
            .snapshot()
            .iter()
            .any(|(found, _)| *found == key)
    );
}
