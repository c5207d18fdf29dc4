//! A saga: what was done is undone if a later step fails, or if the execution is cancelled.

use millpond::Saga;
use millpond::prelude::*;

/// Books a flight, waits for a confirmation, and books a hotel.
#[millpond::workflow]
pub async fn trip(ctx: Context, hotel: String) -> Result<String, Failed> {
    let mut saga = Saga::new(&ctx);
    let booked = all(&ctx, &mut saga, &hotel).await;
    saga.end(booked).await // undoes what was done, if it is an error
}

async fn all(ctx: &Context, saga: &mut Saga, hotel: &str) -> Result<String, Failed> {
    let flight = ctx.call("book", book, &"flight".to_owned()).await?;
    saga.undo("undo", undo, &flight);
    ctx.receive::<()>("confirm").await?;
    let room = ctx.call("book", book, &hotel.to_owned()).await?;
    Ok(format!("{flight}, {room}"))
}

async fn book(what: String) -> Result<String, StepError> {
    match what.as_str() {
        "full" => Err(StepError::new("SoldOut", "no room is left").terminal()),
        _ => Ok(format!("{what} booked")),
    }
}

async fn undo(booking: String) -> Result<(), StepError> {
    println!("undone: {booking}"); // here: cancel it at the airline, by its number
    Ok(())
}

#[cfg(test)]
mod tests {
    use millpond::client::{App, FrameStatus, Signal, Start};
    use millpond::domain::{Actor, Status};
    use millpond_testing::World;

    use super::*;

    #[test]
    fn a_flight_is_undone_after_a_failure_and_after_a_cancellation_and_kept_otherwise() {
        let world = World::new(App::new().register::<trip>());
        let start = |hotel: &str| world.start(Start::of::<trip>(&hotel.to_owned())).eid;
        let (good, full, cancelled) = (start("hotel"), start("full"), start("hotel"));
        world.run_all();
        for eid in [good, full] {
            world
                .signal(eid, Signal::on("confirm").value(&()))
                .expect("it waits");
        }
        let ana = Actor::human("ana");
        world
            .block(world.engine.cancel(cancelled, "ill", ana))
            .expect("it waits");
        world.run_all();

        assert_eq!(
            world.result(good),
            Ok("flight booked, hotel booked".to_owned())
        );
        assert_eq!(world.status(full), Status::Failed);
        assert_eq!(world.status(cancelled), Status::Cancelled);
        let undone = |eid| {
            let root = world
                .block(world.engine.frames(eid))
                .expect("it has a journal");
            root.frames.iter().any(|frame| {
                frame.fid.as_str() == "root/undo#0" && frame.status == FrameStatus::Completed
            })
        };
        assert_eq!([good, full, cancelled].map(undone), [false, true, true]);
    }
}
