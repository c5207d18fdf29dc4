//! The application that the scenes run: the invoices of the example, and workflows that say in a
//! ledger when each of their steps runs, or that go wrong on purpose.

use std::io::Write as _;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use millpond::prelude::*;

/// Three steps.
#[millpond::workflow]
async fn three(ctx: Context, tag: String) -> Result<String, Failed> {
    for step in ["one", "two", "three"] {
        let tag = tag.clone();
        let noted = ctx.step(step, move || {
            let tag = tag.clone();
            async move { note(step, &tag) }
        });
        noted.await?;
    }
    Ok(tag)
}

/// A step, a message, a step.
#[millpond::workflow]
async fn approval(ctx: Context, tag: String) -> Result<String, Failed> {
    noted(&ctx, "before", &tag).await?;
    let word: String = ctx.receive("go").await?;
    noted(&ctx, "after", &tag).await?;
    Ok(word)
}

/// A timer, a step.
#[millpond::workflow]
async fn nap(ctx: Context, tag: String, millis: u64) -> Result<(), Failed> {
    ctx.sleep(Duration::from_millis(millis)).await?;
    noted(&ctx, "awake", &tag).await
}

/// A step that takes its time.
#[millpond::workflow]
async fn slow(ctx: Context, tag: String, millis: u64) -> Result<(), Failed> {
    let step = ctx.step("slow", move || {
        let tag = tag.clone();
        async move {
            note("slow", &tag)?;
            tokio::time::sleep(Duration::from_millis(millis)).await;
            Ok::<_, StepError>(())
        }
    });
    Ok(step.await?)
}

/// Ends the process, each time it is replayed.
#[millpond::workflow]
async fn crash(_ctx: Context, _tag: String) -> Result<(), Failed> {
    std::process::abort();
}

/// Uses up the memory, each time it is replayed.
#[millpond::workflow]
async fn glutton(_ctx: Context, _tag: String) -> Result<(), Failed> {
    let mut all = Vec::new();
    loop {
        all.push(vec![1_u8; 1 << 24]);
    }
}

async fn noted(ctx: &Context, step: &'static str, tag: &str) -> Result<(), Failed> {
    let tag = tag.to_owned();
    let noted = ctx.step(step, move || {
        let tag = tag.clone();
        async move { note(step, &tag) }
    });
    Ok(noted.await?)
}

/// One write a line, so lines stay whole.
fn note(step: &str, tag: &str) -> Result<(), StepError> {
    let path = std::env::var_os("CLOUD_LEDGER").unwrap_or_else(|| "ledger".into());
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let line = format!("{} {step} {tag}\n", now.unwrap_or_default().as_nanos());
    let mut file = std::fs::File::options()
        .create(true)
        .append(true)
        .open(path)?;
    file.write_all(line.as_bytes())?;
    Ok(())
}

fn main() -> ExitCode {
    let app = invoice_approval::app()
        .register::<three>()
        .register::<approval>()
        .register::<nap>()
        .register::<slow>()
        .register::<crash>()
        .register::<glutton>();
    millpond_functions::main(app)
}
