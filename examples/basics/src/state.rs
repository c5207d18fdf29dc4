//! A step that uses a value of the application, and its mock in a test.

use millpond::prelude::*;

/// The price list of a shop. A connection or a client would be used in the same way.
#[derive(Debug)]
pub struct Prices {
    /// Cents for one letter.
    pub letter: u64,
}

/// Quotes a price.
#[millpond::workflow]
pub async fn offer(ctx: Context, text: String) -> Result<String, Failed> {
    let cents = ctx.run::<price>(&text).await?;
    Ok(format!("{text} costs {cents}"))
}

/// Reads the price list that `App::state` has set.
#[millpond::step]
pub async fn price(prices: State<Prices>, text: String) -> Result<u64, StepError> {
    Ok(text.len() as u64 * prices.letter)
}

#[cfg(test)]
mod tests {
    use millpond::client::{App, Start};
    use millpond_testing::World;

    use super::*;

    fn world() -> World {
        let prices = Prices { letter: 100 };
        World::new(App::new().register::<offer>().state(prices))
    }

    #[test]
    fn a_step_uses_the_state_of_the_application() {
        let world = world();
        let eid = world.start(Start::of::<offer>(&"sign".to_owned())).eid;
        world.run_all();
        assert_eq!(world.result(eid), Ok("sign costs 400".to_owned()));
    }

    #[test]
    fn a_mock_answers_in_its_place() {
        let world = world();
        world.mock::<price>(|attempt, text| match attempt.number() {
            1 => Err(StepError::new("Busy", "ask again")),
            _ => Ok(text.len() as u64),
        });
        let eid = world.start(Start::of::<offer>(&"sign".to_owned())).eid;
        world.skip(Duration::from_secs(60));
        assert_eq!(world.result(eid), Ok("sign costs 4".to_owned()));
    }
}
