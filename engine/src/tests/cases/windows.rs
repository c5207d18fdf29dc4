//! Case 22: many items in windows, a kill in the middle.

use std::pin::pin;
use std::sync::{Arc, Mutex};

use futures::future::try_join_all;

use super::super::App;
use super::SECOND;
use crate::client::Start;
use crate::domain::Status;
use crate::testing::World;
use crate::{Attempt, Context, Failed, StepError};

const ITEMS: usize = 300;
const WIDTH: usize = 100;
/// The item at whose first attempt its process vanishes.
const FATAL: usize = ITEMS * 6 / 10;

/// How often each item was worked on.
type Ran = Arc<Mutex<Vec<u32>>>;

async fn map(ctx: Context, ran: Ran) -> Result<usize, Failed> {
    let mut bytes = 0;
    for window in 0..ITEMS / WIDTH {
        let items = (0..WIDTH).map(|at| {
            let (ran, item) = (Arc::clone(&ran), window * WIDTH + at);
            ctx.step("item", move |attempt: Attempt| {
                ran.lock().expect("no holder panics")[item] += 1;
                async move {
                    if (item, attempt.number()) == (FATAL, 1) {
                        return std::future::pending().await;
                    }
                    Ok::<_, StepError>(format!("{item:02048}"))
                }
            })
        });
        let values = try_join_all(items).await?;
        bytes += values.iter().map(String::len).sum::<usize>();
    }
    Ok(bytes)
}

#[test]
fn case_22_a_map_in_windows_asks_in_proportion_and_a_kill_redoes_at_most_the_width() {
    let ran: Ran = Arc::new(Mutex::new(vec![0; ITEMS]));
    let app = || {
        let ran = Arc::clone(&ran);
        App::new().workflow("map", "1", move |ctx, (): ()| map(ctx, Arc::clone(&ran)))
    };
    let world = World::new(app());
    let eid = world.start(Start::new("map")).eid;
    let first = world.beside(app(), "first", 2);
    {
        let mut run = pin!(first.engine.run(eid, first.causes(eid)));
        assert!(first.pool.run_until_stalled(run.as_mut()).is_none());
    }
    let begun = |ran: &Ran| ran.lock().expect("no holder panics").iter().sum::<u32>();
    assert_eq!(begun(&ran), 2 * WIDTH as u32, "the second window has begun");
    world.skip(120 * SECOND);
    assert_eq!(world.status(eid), Status::Completed);
    assert_eq!(world.result::<usize>(eid), Ok(ITEMS * 2_048));
    let again = begun(&ran) as usize - ITEMS;
    assert!((1..=WIDTH).contains(&again), "{again} steps ran again");
    let written =
        first.counting.counts().write_requests() + world.counting.counts().write_requests();
    assert!(
        written <= ITEMS as u64,
        "{written} write requests for {ITEMS} items"
    );
}
