//! How many large values a replay holds (item 15).

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::App;
use crate::client::{Signal, Start};
use crate::settings::Settings;
use crate::testing::World;
use crate::{Context, StepError};

/// Bytes of each value as JSON.
const LARGE: usize = 40_002;

fn app(read: &Arc<AtomicU64>) -> App {
    let read = Arc::clone(read);
    App::new().workflow("large", "1", move |ctx: Context, n: u64| {
        let read = Arc::clone(&read);
        async move {
            for at in 0..n {
                let text = move || async move {
                    Ok::<_, StepError>(format!("{at:02}").repeat((LARGE - 2) / 2))
                };
                let _: String = ctx.step("text", text).await?;
                read.store(at + 1, Ordering::Relaxed);
            }
            ctx.receive::<()>("go").await?;
            Ok(n)
        }
    })
}

#[test]
fn c15_a_replay_reads_large_values_as_the_workflow_needs_them() {
    let read = Arc::new(AtomicU64::new(0));
    let settings = Settings {
        max_value: 2 * LARGE,
        ..Settings::default()
    };
    let world = World::with_settings(app(&read), settings);
    let eid = world.start(Start::new("large").input(&12_u64)).eid;
    world.run_all();
    assert_eq!(read.swap(0, Ordering::Relaxed), 12);
    // The replay cannot read the last value: until then it has held two at a time.
    let rows = world.memory.snapshot().into_iter();
    let mut last = rows.filter(|(key, body)| {
        key.as_str().contains("/blob/") && body.starts_with(b"\"11") && body.len() == LARGE
    });
    let (key, body) = last.next().expect("it is large");
    world.block(world.engine.ports().delete(&key)).unwrap();
    world.signal(eid, Signal::on("go").value(&())).unwrap();
    let _ = world.run(eid);
    assert_eq!(read.swap(0, Ordering::Relaxed), 10);
    // With it, the execution continues.
    let created = world.block(world.engine.ports().create(&key, body));
    let _ = created.unwrap();
    let by = crate::domain::Actor::human("ada");
    world.block(world.engine.resume(eid, by)).unwrap();
    let (_, counts) = world.counted(World::run_all);
    assert_eq!(world.result::<u64>(eid), Ok(12));
    assert!(counts.reads >= 12, "each value is read once: {counts:?}");
}
