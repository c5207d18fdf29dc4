//! A wait for something outside that sends no message.

use millpond::prelude::*;

/// Waits for a payment, and asks the bank once an hour, for a week at most.
#[millpond::workflow]
pub async fn paid(ctx: Context, invoice: String) -> Result<bool, Failed> {
    let (hour, week) = (
        Duration::from_secs(3_600),
        Duration::from_secs(7 * 24 * 3_600),
    );
    let payment = ctx.poll_until("payment", hour, week, move |attempt: Attempt| {
        let invoice = invoice.clone();
        async move { look_up(&attempt, &invoice) }
    });
    Ok(payment.await?.is_some())
}

/// Returns the payment of an invoice, if there is one. The bank of this example knows it on the
/// third day.
fn look_up(attempt: &Attempt, invoice: &str) -> Result<Option<u64>, StepError> {
    let known = attempt.fid().as_str().ends_with("/poll#72");
    Ok((known && invoice == "cup").then_some(300))
}

#[cfg(test)]
mod tests {
    use millpond::client::{App, Start};
    use millpond_testing::World;

    use super::*;

    #[test]
    fn a_payment_is_found_after_three_days_or_missed_after_a_week() {
        let world = World::new(App::new().register::<paid>());
        let start = |invoice: &str| world.start(Start::of::<paid>(&invoice.to_owned())).eid;
        let (cup, plate) = (start("cup"), start("plate"));
        let day = Duration::from_secs(24 * 3_600);
        world.skip(day * 3);
        assert_eq!(world.result(cup), Ok(true));
        assert!(!world.status(plate).is_terminal(), "it still waits");
        world.skip(day * 4);
        assert_eq!(world.result(plate), Ok(false));
    }
}
