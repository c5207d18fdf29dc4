//! `connect`: another program starts and signals executions.

use std::time::Duration;

use millpond::client::{Signal, Start};
use millpond_functions::connect;

use crate::world::World;

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap()
}

#[test]
fn e23_another_program_starts_and_signals_executions() {
    let world = World::new();
    world.work();
    let url = format!("sqlite:{}", world.path("pond.db").display());
    let runtime = runtime();
    let (pond, eid) = runtime.block_on(async {
        let pond = connect(url).declare("approve", "1").await.unwrap();
        let started = pond.start(Start::new("approve").key("k")).await.unwrap();
        assert!(started.fresh);
        let approval = Signal::on("approval").value(&true);
        pond.signal(started.eid, approval).await.unwrap();
        let undeclared = pond.start(Start::new("greet")).await.unwrap_err();
        assert!(
            undeclared.to_string().contains("known: approve@1"),
            "{undeclared}"
        );
        (pond, started.eid)
    });
    world.work();
    let outcome = runtime.block_on(pond.result(eid, Duration::ZERO)).unwrap();
    assert_eq!(outcome.get(), Ok(true));
}

#[test]
fn n9_a_connection_refuses_a_start_on_a_queue_that_is_not_served() {
    let world = World::new();
    world.work();
    let url = format!("sqlite:{}", world.path("pond.db").display());
    runtime().block_on(async {
        let served = ["default", "slow"].map(|name| name.parse().unwrap());
        let pond = connect(url).declare("approve", "1").queues(served);
        let pond = pond.await.unwrap();
        pond.start(Start::new("approve").queue("slow"))
            .await
            .unwrap();
        let refused = pond.start(Start::new("approve").queue("fast")).await;
        let refused = refused.unwrap_err().to_string();
        assert!(refused.contains("served: default, slow"), "{refused}");
    });
}

#[test]
fn e23_a_connection_creates_no_bucket() {
    let world = World::new();
    let file = world.path("pond.db");
    let url = format!("sqlite:{}", file.display());
    let error = runtime()
        .block_on(async { connect(url).await })
        .unwrap_err();
    assert!(error.to_string().contains("no bucket here"), "{error}");
    assert!(!file.exists());
    let error = runtime()
        .block_on(async { connect("ftp://x").await })
        .unwrap_err();
    assert!(error.to_string().contains("invalid bucket URL"), "{error}");
}
