//! A workflow that waits for a signal, but not for ever.

use millpond::prelude::*;

/// Waits two days for an approval, and returns the outcome of the request.
#[millpond::workflow]
pub async fn approve(ctx: Context, request: String) -> Result<String, Failed> {
    let two_days = Duration::from_secs(2 * 24 * 60 * 60);
    let answer = ctx.receive::<bool>("approval").timeout(two_days).await?;
    Ok(match answer {
        Some(true) => format!("{request}: approved"),
        Some(false) => format!("{request}: rejected"),
        None => format!("{request}: expired"),
    })
}

#[cfg(test)]
mod tests {
    use millpond::client::{App, Signal, Start};
    use millpond_testing::World;

    use super::*;

    #[test]
    fn a_signal_is_received_and_without_one_the_request_expires() {
        let world = World::new(App::new().register::<approve>());
        let start = |request: &str| world.start(Start::of::<approve>(&request.to_owned())).eid;
        let (answered, ignored) = (start("a desk"), start("a boat"));
        world.run_all();
        let yes = Signal::on("approval").value(&true);
        world.signal(answered, yes).expect("the execution waits");
        world.skip(Duration::from_secs(2 * 24 * 60 * 60));
        assert_eq!(world.result(answered), Ok("a desk: approved".to_owned()));
        assert_eq!(world.result(ignored), Ok("a boat: expired".to_owned()));
    }
}
