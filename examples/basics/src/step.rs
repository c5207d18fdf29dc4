//! A step that fails twice and is retried.

use millpond::prelude::*;

/// Asks for the rate of a currency, five times at most.
#[millpond::workflow]
pub async fn convert(ctx: Context, currency: String) -> Result<u64, Failed> {
    let retry = Retry::exponential(5).initial(Duration::from_secs(1));
    Ok(ctx.run::<rate>(&currency).retry(retry).await?)
}

/// Returns the rate. The service of this example is down for the first two attempts.
#[millpond::step]
pub async fn rate(attempt: Attempt, currency: String) -> Result<u64, StepError> {
    match (currency.as_str(), attempt.number()) {
        ("EUR", 1 | 2) => Err(StepError::new("Unavailable", "the service is down")),
        ("EUR", _) => Ok(108),
        // A terminal error is not retried.
        _ => Err(StepError::new("UnknownCurrency", currency).terminal()),
    }
}

#[cfg(test)]
mod tests {
    use millpond::client::{App, Start};
    use millpond_testing::World;

    use super::*;

    #[test]
    fn a_step_is_retried_until_it_succeeds_and_a_terminal_error_is_not() {
        let world = World::new(App::new().register::<convert>());
        let known = world.start(Start::of::<convert>(&"EUR".to_owned())).eid;
        let unknown = world.start(Start::of::<convert>(&"XXX".to_owned())).eid;
        world.skip(Duration::from_secs(60));
        assert_eq!(world.result(known), Ok(108_u64));
        let error = world.result::<u64>(unknown).expect_err("XXX has no rate");
        assert!(error.contains("UnknownCurrency"), "{error}");
    }
}
