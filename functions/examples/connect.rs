//! Starts an execution of another program, signals it, and waits for its end.
//!
//! ```sh
//! cargo run -p millpond-functions --example connect -- sqlite:./pond.db
//! ```
//!
//! The other program has the workflow `approve` in version 1, which receives `approval`, and runs `worker`.

use std::time::Duration;

use millpond::client::{Signal, Start};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = std::env::args().nth(1).ok_or("usage: connect URL")?;
    let pond = millpond_functions::connect(url)
        .declare("approve", "1")
        .await?;
    let started = pond.start(Start::new("approve").key("example")).await?;
    println!("{}", started.eid);
    let approval = Signal::on("approval").value(&true).key("example");
    pond.signal(started.eid, approval).await?;
    let outcome = pond.result(started.eid, Duration::from_secs(60)).await?;
    match outcome.get::<bool>() {
        Ok(approved) => println!("approved: {approved}"),
        Err(failure) => println!("{}: {failure}", outcome.status),
    }
    Ok(())
}
