//! Case 19: large values, and what is too large.

use millpond::client::{App, EngineError, Signal, Start};
use millpond::domain::kind;
use millpond::keys::Prefix;
use millpond::{Attempt, Context, Failed, Retry, StepError};

use crate::ledger::Ledger;
use crate::stage::Store;

const KB: usize = 1 << 10;

/// A text that no compression and no mistake of one byte makes the same as another.
fn text(bytes: usize) -> String {
    let mut text: String = (0_u64..)
        .map_while(|n| (n < bytes as u64 / 8).then(|| format!("{n:08}")))
        .collect();
    text.extend(std::iter::repeat_n('x', bytes - text.len()));
    text
}

/// A value of so many bytes (as JSON) comes from a step, then as a message, and is the result.
async fn sized(ctx: Context, bytes: usize) -> Result<(String, bool), Failed> {
    let step = ctx.step("large", move || async move {
        Ok::<_, StepError>(text(bytes - 2))
    });
    let value = step.await?;
    let heard: String = ctx.receive("in").await?;
    let same = heard == value;
    Ok((value, same))
}

#[tokio::test]
async fn case_19_results_of_every_size_are_offloaded_unseen_by_the_author() {
    let (_store, process) = Store::at_work(App::new().workflow("sized", "1", sized)).await;
    for bytes in [
        255 * KB,
        256 * KB - 1,
        256 * KB,
        256 * KB + 1,
        6 * KB * KB + 1,
    ] {
        let eid = process.start(Start::new("sized").input(&bytes)).await;
        process.suspended(eid).await;
        let value = text(bytes - 2);
        process.signal(eid, Signal::on("in").value(&value)).await;
        let (back, same): (String, bool) = process.result(eid).await.unwrap();
        assert!(same && back == value, "{bytes}");
        let execution = process.engine.execution(eid).await.unwrap();
        let head = execution.head_bytes;
        assert!(head < 16 << 10, "{bytes}: a head of {head} bytes");
    }
}

/// A step whose value is over the cap: the kind and text of its failure.
async fn huge(ctx: Context, bytes: usize, ledger: Ledger) -> Result<(String, String), Failed> {
    let step = ctx.step("huge", move |attempt: Attempt| {
        ledger.clone().gives(attempt, "x".repeat(bytes))
    });
    match step.retry(Retry::exponential(5)).await {
        Err(error) => {
            let failed = Failed::from(error);
            Ok((failed.kind().to_owned(), failed.message().to_owned()))
        }
        Ok(_) => Err(Failed::new("Taken", "it is too large")),
    }
}

#[tokio::test]
async fn case_19_a_result_over_the_cap_fails_its_step_once_with_the_size() {
    let ledger = Ledger::default();
    let own = ledger.clone();
    let app = App::new().workflow("huge", "1", move |ctx, bytes| huge(ctx, bytes, own.clone()));
    let (_store, process) = Store::at_work(app).await;
    let most = 16 << 20;
    let eid = process.start(Start::new("huge").input(&(most - 1))).await;
    let (kind, message): (String, String) = process.result(eid).await.unwrap();
    assert_eq!(kind, kind::PAYLOAD_TOO_LARGE);
    let size = format!("bytes={}", most + 1);
    assert!(message.contains(&size), "{message}");
    assert_eq!(ledger.attempts(), [[1]], "it is not tried again");
    // Nothing of it reached the store.
    let all = Prefix::parse("x/").unwrap();
    let rows = process
        .bucket
        .list(&all, None, 1_000)
        .await
        .unwrap()
        .entries;
    assert!(rows.iter().all(|row| !row.key.as_str().contains("/blob/")));
    let signal = Signal::on("in").value(&"x".repeat(most));
    let refused = process.engine.signal(eid, signal).await.unwrap_err();
    let refused_for_size = matches!(refused, EngineError::PayloadTooLarge { .. });
    assert!(refused_for_size, "{refused}");
}

async fn talkative(ctx: Context, (): ()) -> Result<(), Failed> {
    let step = ctx.step("talkative", || async {
        Err::<(), _>(StepError::new("Talkative", "y".repeat(10 << 20)))
    });
    Ok(step.retry(Retry::none()).await?)
}

#[tokio::test]
async fn case_19_an_error_text_of_10_mb_is_cut_with_a_mark() {
    let (_store, process) = Store::at_work(App::new().workflow("talkative", "1", talkative)).await;
    let eid = process.start(Start::new("talkative")).await;
    let failure = process.result::<()>(eid).await.unwrap_err();
    assert_eq!(failure.kind, "Talkative");
    let mark = format!("... [cut, {} bytes]", 10 << 20);
    assert!(failure.message.contains(&mark) && failure.message.len() < 9_000);
}
