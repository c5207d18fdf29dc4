//! The sweeper's role in a process of its own.

use std::process::ExitCode;
use std::time::Duration;

use millpond::client::{Notice, chain};
use tokio::signal::unix::{SignalKind, signal};

use crate::Trouble;
use crate::options::Options;
use crate::place::Place;

const PERIOD: Duration = Duration::from_millis(500);

pub(crate) fn main(options: &Options) -> ExitCode {
    let runtime = tokio::runtime::Runtime::new();
    let swept = runtime
        .map_err(Into::into)
        .and_then(|runtime| runtime.block_on(sweep(options)));
    match swept {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("the sweeper gives up: {}", chain(&*error));
            ExitCode::FAILURE
        }
    }
}

async fn sweep(options: &Options) -> Result<(), Trouble> {
    let engine = Place::of_process()?.engine(options.ttl())?;
    let mut terminated = signal(SignalKind::terminate())?;
    let stop = Notice::new();
    let stopped = async {
        terminated.recv().await;
        stop.set();
    };
    let sweep = millpond_functions::roles::sweeper(&engine, PERIOD, &stop);
    tokio::join!(sweep, stopped);
    Ok(())
}
