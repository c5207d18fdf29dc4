//! N26: what stops a runaway (docs/protocol.md, Runaways).

use super::App;
use super::findings::HOUR;
use crate::client::{Engine, Filter, Start};
use crate::settings::Settings;
use crate::testing::World;
use crate::{Context, Failed};

/// An hour later, a child of its own type; so on for so many levels.
async fn nested(ctx: Context, levels: u64) -> Result<u64, Failed> {
    ctx.sleep(HOUR).await?;
    match levels {
        0 => Ok(0),
        levels => Ok(1 + ctx.child_named::<u64>("nested", &(levels - 1)).await?),
    }
}

fn app() -> App {
    App::new().workflow("nested", "1", nested)
}

fn settings(max_depth: u32) -> Settings {
    Settings {
        max_depth,
        ..Settings::default()
    }
}

#[test]
fn n26_a_child_below_the_bound_of_its_tree_is_refused() {
    let world = World::with_settings(app(), settings(3));
    let fits = world.start(Start::new("nested").input(&3_u64)).eid;
    let deeper = world.start(Start::new("nested").input(&4_u64)).eid;
    world.skip(HOUR * 5);
    assert_eq!(world.result::<u64>(fits), Ok(3));
    let failure = world.result::<u64>(deeper).unwrap_err();
    assert!(
        failure.starts_with("depth: "),
        "the kind reaches the root: {failure}"
    );
    let rows = world.block(world.engine.list(&Filter::default())).unwrap();
    assert_eq!(rows.len(), 4 + 4, "the fifth level was not started");
}

#[test]
fn n26_a_tree_keeps_the_bound_of_its_start() {
    let mut world = World::with_settings(app(), settings(2));
    let eid = world.start(Start::new("nested").input(&2_u64)).eid;
    world.run_all();
    let core = world.engine.core();
    let (ports, host) = (core.ports.clone(), core.host.clone());
    world.engine = Engine::with_settings(ports, app(), host, settings(0)).unwrap();
    world.skip(HOUR * 3);
    assert_eq!(world.result::<u64>(eid), Ok(2));
}
