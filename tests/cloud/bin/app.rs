//! The application that the scenes run: the invoices of the example, and workflows that record in a
//! ledger when each of their steps runs, or that go wrong on purpose.

use std::io::Write as _;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use millpond::domain::kind;
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

/// So many children, one after the other.
#[millpond::workflow]
async fn relay(ctx: Context, tag: String, children: usize) -> Result<usize, Failed> {
    for _ in 0..children {
        ctx.child::<three>(tag.clone()).await?;
    }
    Ok(children)
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

/// Five steps that write down which attempt it is; the third must not run twice, and the result is
/// whether it is known to have run.
#[millpond::workflow]
async fn five(ctx: Context, tag: String) -> Result<bool, Failed> {
    let mut known = true;
    for step in ["first", "second", "third", "fourth", "fifth"] {
        let tag = tag.clone();
        let noted = ctx.step(step, move |attempt: Attempt| {
            let tag = format!("{tag}#{}", attempt.number());
            async move { note(step, &tag) }
        });
        // What vanished is made again soon.
        let retry = Retry::default().initial(Duration::from_millis(50));
        if step != "third" {
            noted.retry(retry).await?;
            continue;
        }
        match noted.retry(Retry::none().max_lost(0)).await {
            Err(FrameError::StepFailed { failure, .. }) if failure.kind == kind::ATTEMPT_LOST => {
                known = false;
            }
            other => other?,
        }
    }
    Ok(known)
}

/// So many messages.
#[millpond::workflow]
async fn gather(ctx: Context, words: usize) -> Result<Vec<String>, Failed> {
    let mut all = Vec::new();
    for _ in 0..words {
        all.push(ctx.receive("go").await?);
    }
    Ok(all)
}

/// A step that takes its time, and one that does not.
#[millpond::workflow]
async fn late(ctx: Context, tag: String, millis: u64) -> Result<(), Failed> {
    let of = tag.clone();
    let step = ctx.step("late", move || {
        let tag = of.clone();
        async move {
            note("late", &tag)?;
            tokio::time::sleep(Duration::from_millis(millis)).await;
            Ok::<_, StepError>(())
        }
    });
    step.await?;
    noted(&ctx, "after", &tag).await
}

/// A value of so many bytes in JSON comes from a step; a message is to be the same, and is the result.
#[millpond::workflow]
async fn sized(ctx: Context, bytes: usize) -> Result<(bool, String), Failed> {
    let value = ctx.step("large", move || async move {
        Ok::<_, StepError>(text(bytes - 2))
    });
    let value = value.await?;
    let received: String = ctx.receive("in").await?;
    Ok((received == value, received))
}

/// A text of so many bytes, in which a byte that is not in its place is noticed.
fn text(bytes: usize) -> String {
    let mut text: String = (0..bytes / 8).map(|n| format!("{n:08}")).collect();
    text.extend(std::iter::repeat_n('x', bytes - text.len()));
    text
}

/// A value over the hard cap: the kind and the message of its failure.
#[millpond::workflow]
async fn huge(ctx: Context, tag: String) -> Result<(String, String), Failed> {
    let step = ctx.step("huge", move || {
        let tag = tag.clone();
        async move {
            note("huge", &tag)?;
            Ok::<_, StepError>(text(16 << 20))
        }
    });
    match step.await {
        Err(FrameError::StepFailed { failure, .. }) => Ok((failure.kind, failure.message)),
        Err(other) => Err(other.into()),
        Ok(_) => Err(Failed::new("Taken", "it is too large")),
    }
}

/// A step that fails with a very long text.
#[millpond::workflow]
async fn talkative(ctx: Context) -> Result<(), Failed> {
    let step = ctx.step("talkative", || async {
        Err::<(), _>(StepError::new("Talkative", text(10 << 20)))
    });
    Ok(step.retry(Retry::none()).await?)
}

/// Panics, each time it is replayed.
#[millpond::workflow]
async fn panicky(_ctx: Context, _tag: String) -> Result<(), Failed> {
    panic!("it panics on purpose");
}

/// Never comes to an end, each time it is replayed.
#[millpond::workflow]
async fn spin(_ctx: Context, _tag: String) -> Result<(), Failed> {
    loop {
        std::hint::spin_loop();
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
        .register::<relay>()
        .register::<approval>()
        .register::<nap>()
        .register::<slow>()
        .register::<crash>()
        .register::<glutton>()
        .register::<five>()
        .register::<gather>()
        .register::<late>()
        .register::<sized>()
        .register::<huge>()
        .register::<talkative>()
        .register::<panicky>()
        .register::<spin>();
    millpond_functions::main(app)
}
