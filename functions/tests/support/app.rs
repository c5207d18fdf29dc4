//! The application that the tests of the commands run: one workflow for each thing that an
//! execution can be at.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use millpond::prelude::*;
use millpond_functions::App;

#[millpond::workflow]
async fn greet(ctx: Context, name: String) -> Result<String, Failed> {
    let hello = ctx.step("hello", || async { Ok::<_, StepError>("hello".to_owned()) });
    Ok(format!("{}, {name}", hello.await?))
}

#[millpond::workflow(name = "greet-twice", version = "2")]
async fn twice(ctx: Context, name: String) -> Result<Vec<String>, Failed> {
    let (one, two) = join!(ctx.child::<greet>(name.clone()), ctx.child::<greet>(name));
    Ok(vec![one?, two?])
}

#[millpond::workflow]
async fn approve(ctx: Context) -> Result<bool, Failed> {
    ctx.set_state("asked")?;
    let approved = ctx.receive("approval").await?;
    ctx.set_state(&approved)?;
    Ok(approved)
}

/// Its child is on a queue that no worker serves.
#[millpond::workflow]
async fn elsewhere(ctx: Context) -> Result<String, Failed> {
    Ok(ctx
        .child::<greet>("a".to_owned())
        .queue("elsewhere")
        .await?)
}

#[millpond::workflow]
async fn nap(ctx: Context, seconds: u64) -> Result<(), Failed> {
    ctx.sleep(Duration::from_secs(seconds)).await?;
    Ok(())
}

#[millpond::workflow]
async fn fail(ctx: Context) -> Result<(), Failed> {
    let step = ctx.step("charge", || async {
        Err::<(), _>(StepError::new("refused", "the card was refused").terminal())
    });
    Ok(step.await?)
}

/// Its step records that it began, and ends when the file `gate` exists.
#[millpond::workflow]
async fn gated(ctx: Context, folder: String) -> Result<String, Failed> {
    let step = ctx.step("wait", move || {
        let folder = PathBuf::from(&folder);
        async move {
            mark(&folder)?;
            while !folder.join("gate").exists() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            Ok::<_, StepError>("through".to_owned())
        }
    });
    Ok(step.await?)
}

/// Its second step fails for good as long as the file `mended` does not exist.
#[millpond::workflow]
async fn flaky(ctx: Context, folder: String) -> Result<String, Failed> {
    let own = PathBuf::from(&folder);
    let first = ctx.step("first", move || {
        let marked = mark(&own);
        async move { Ok::<_, StepError>(marked?) }
    });
    first.await?;
    let second = ctx.step("second", move || {
        let mended = Path::new(&folder).join("mended").exists();
        async move {
            match mended {
                true => Ok("done".to_owned()),
                false => Err(StepError::new("Broken", "not mended yet").terminal()),
            }
        }
    });
    Ok(second.await?)
}

/// More steps than the machine has threads, which never give theirs back.
#[millpond::workflow]
async fn spin(ctx: Context, folder: String) -> Result<(), Failed> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let spinners = (0..=threads).map(|_| {
        let folder = PathBuf::from(&folder);
        ctx.step("spin", move || {
            let folder = folder.clone();
            async move {
                mark(&folder)?;
                while !folder.join("gate").exists() {
                    std::hint::spin_loop();
                }
                Ok::<_, StepError>(())
            }
        })
    });
    try_join_all(spinners).await?;
    Ok(())
}

fn mark(folder: &Path) -> std::io::Result<()> {
    use std::io::Write as _;
    let file = std::fs::File::options()
        .create(true)
        .append(true)
        .open(folder.join("began"));
    file?.write_all(b"began\n")
}

fn main() -> ExitCode {
    let app = App::new()
        .register::<greet>()
        .register::<twice>()
        .register::<approve>()
        .register::<elsewhere>()
        .register::<nap>()
        .register::<fail>()
        .register::<flaky>()
        .register::<gated>()
        .register::<spin>();
    millpond_functions::main(app)
}
