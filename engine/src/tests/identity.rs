//! Ids, starts of one key, and the executions of a key one after the other (docs/protocol.md, Keys).

use super::App;
use crate::client::Start;
use crate::domain::ExecutionId;
use crate::testing::World;
use crate::{Context, Failed};

#[test]
fn a19_two_messages_of_one_commit_arrive_in_the_order_in_which_they_were_sent() {
    async fn sends(ctx: Context, to: ExecutionId) -> Result<(), Failed> {
        for n in 0..12_u64 {
            ctx.send(to, "in", &n)?;
        }
        Ok(())
    }
    async fn collects(ctx: Context, count: usize) -> Result<Vec<u64>, Failed> {
        let mut all = Vec::new();
        for _ in 0..count {
            all.push(ctx.receive("in").await?);
        }
        Ok(all)
    }
    let world = World::new(
        App::new()
            .workflow("sends", "1", sends)
            .workflow("collects", "1", collects),
    );
    let to = world
        .start(Start::new("collects").input(&12_usize).key("to"))
        .eid;
    world.run_all();
    world.start(Start::new("sends").input(&to).key("from"));
    world.run_all();
    assert_eq!(world.result::<Vec<u64>>(to), Ok((0..12).collect()));
}
