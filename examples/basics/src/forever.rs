//! A workflow without an end: it continues as new, so that its journal does not grow.

use millpond::prelude::*;

/// An account that takes deposits for years. It ends at a deposit of 0, with its balance.
#[millpond::workflow]
pub async fn account(ctx: Context, balance: u64) -> Result<u64, Failed> {
    let deposit: u64 = ctx.receive("deposit").await?;
    if deposit == 0 {
        return Ok(balance);
    }
    // The same execution goes on with this input, and with the deposits that have not been read.
    ctx.continue_as_new(&(balance + deposit))
}

#[cfg(test)]
mod tests {
    use millpond::client::{App, Signal, Start};
    use millpond_testing::World;

    use super::*;

    #[test]
    fn an_account_continues_after_each_deposit() {
        let world = World::new(App::new().register::<account>());
        let eid = world.start(Start::of::<account>(&10)).eid;
        for deposit in [5_u64, 20, 7, 0] {
            world.skip(Duration::from_secs(1));
            let signal = Signal::on("deposit").value(&deposit);
            world.signal(eid, signal).expect("the account is open");
        }
        world.run_all();
        assert_eq!(world.result(eid), Ok(42_u64));
        let execution = world.block(world.engine.execution(eid));
        assert_eq!(execution.expect("it is in memory").generation, 3);
    }
}
