//! A workflow that sleeps for a month. No process waits meanwhile.

use millpond::prelude::*;

/// Sends a welcome, and a reminder 30 days later.
#[millpond::workflow]
pub async fn welcome(ctx: Context, user: String) -> Result<Vec<String>, Failed> {
    let first = ctx.call("mail", mail, &format!("welcome, {user}")).await?;
    ctx.sleep(Duration::from_secs(30 * 24 * 60 * 60)).await?;
    let second = ctx
        .call("mail", mail, &format!("how is it, {user}?"))
        .await?;
    Ok(vec![first, second])
}

async fn mail(text: String) -> Result<String, StepError> {
    Ok(format!("sent: {text}"))
}

#[cfg(test)]
mod tests {
    use millpond::client::{App, Start};
    use millpond_testing::World;

    use super::*;

    #[test]
    fn the_reminder_follows_after_thirty_days_and_not_before() {
        let day = Duration::from_secs(24 * 60 * 60);
        let world = World::new(App::new().register::<welcome>());
        let eid = world.start(Start::of::<welcome>(&"ana".to_owned())).eid;
        world.skip(day * 29);
        assert!(!world.status(eid).is_terminal(), "it still sleeps");
        world.skip(day * 2);
        let sent = ["sent: welcome, ana", "sent: how is it, ana?"];
        assert_eq!(world.result(eid), Ok(sent.map(str::to_owned).to_vec()));
    }
}
