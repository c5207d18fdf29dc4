//! Odd keys and names: limits, one execution each, never part of a key.

use std::collections::BTreeSet;

use super::{app, assert_plain_keys, nothing};
use crate::client::{EngineError, Signal, Start};
use crate::domain::ExecutionId;
use crate::testing::World;
use crate::{Context, Failed, StepError};

#[test]
fn odd_dispatch_keys_name_one_execution_each_and_are_in_no_key() {
    let world = World::new(app());
    let longest = "k".repeat(1024);
    let keys = [
        "a/b",
        "../x",
        "..",
        "/",
        " ",
        "\u{1f996}",
        "a\nb",
        "\0",
        "ü",
        "u\u{308}",
        &longest,
        "head",
        "%2e",
    ];
    let mut eids = BTreeSet::new();
    for key in keys {
        let start = || Start::new("mirror").input(&1).key(key);
        let first = world.start(start());
        assert!(first.fresh && eids.insert(first.eid), "{key:?}");
        assert!(!world.start(start()).fresh, "{key:?}");
        world.run_all();
        for _ in 0..2 {
            let signal = Signal::on("other").value(&2).key(key);
            world.signal(first.eid, signal).unwrap();
        }
        let record = world
            .block(world.engine.execution(first.eid))
            .unwrap()
            .record;
        assert_eq!(record.dispatch_key.as_deref(), Some(key));
    }
    assert_plain_keys(&world);
    for key in ["".to_owned(), format!("{longest}k"), "ü".repeat(513)] {
        let (refused, counts) = world.counted(|w| {
            let start = Start::new("same").input(&1).key(key.clone());
            let signal = Signal::on("in").key(key);
            let eid = *eids.first().unwrap();
            [
                w.block(w.engine.start(start)).unwrap_err(),
                w.signal(eid, signal).unwrap_err(),
            ]
        });
        assert!(nothing(counts));
        assert!(
            refused.iter().all(|e| matches!(e, EngineError::Name(_))),
            "{refused:?}"
        );
    }
}

async fn named(ctx: Context, (verb, name): (String, String)) -> Result<String, Failed> {
    let step = || async { Ok::<_, StepError>(()) };
    let failed = match verb.as_str() {
        "step" => ctx.step(&name, step).await.map_err(Failed::from),
        "key" => ctx.step("f", step).key(&name).await.map_err(Failed::from),
        "scope" => ctx.scope(&name).step("f", step).await.map_err(Failed::from),
        "receive" => ctx.receive::<()>(&name).await.map_err(Failed::from),
        "announce" => ctx.announce(&name, &1).map_err(Failed::from),
        "child" => ctx.child_named::<()>(&name, &1).await.map_err(Failed::from),
        "queue" => ctx
            .child_named::<()>("same", &1)
            .queue(&name)
            .await
            .map_err(Failed::from),
        _ => ctx.send(ctx.eid(), &name, &1).map_err(Failed::from),
    };
    Ok(failed
        .err()
        .map_or_else(String::new, |failed| failed.kind().to_owned()))
}

#[test]
fn odd_names_are_refused_by_type() {
    let world = World::new(app().workflow("named", "1", named));
    let long = "x".repeat(129);
    for name in ["", "a/b", "../x", "..", "ü", "a b", "a\n", &long] {
        for verb in [
            "step", "key", "scope", "receive", "announce", "child", "queue", "send",
        ] {
            let eid = world.start(Start::new("named").input(&(verb, name))).eid;
            world.run_all();
            assert_eq!(
                world.result::<String>(eid),
                Ok("InvalidName".to_owned()),
                "{verb} {name:?}"
            );
        }
        let (refused, counts) = world.counted(|w| {
            let start = |start| w.block(w.engine.start(start)).unwrap_err();
            [
                start(Start::new(name).input(&1)),
                start(Start::new("same").input(&1).queue(name)),
                w.signal(ExecutionId::new(uuid::Uuid::nil()), Signal::on(name))
                    .unwrap_err(),
            ]
        });
        assert!(nothing(counts), "{name:?}");
        assert!(
            refused.iter().all(|e| matches!(e, EngineError::Name(_))),
            "{refused:?}"
        );
    }
    assert_plain_keys(&world);
}
