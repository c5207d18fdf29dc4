//! What the tests share.

use std::time::{Duration, Instant};

use millpond_cloud::lambda::{Failure, Function, Spec};
use serde_json::{Value, json};

/// How long anything may take that is waited for.
const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) fn spec() -> Spec {
    Spec::new("probe", env!("CARGO_BIN_EXE_millpond-cloud-probe"))
}

/// Has the probe do something; what it answers, once no instance is under way any more.
pub(crate) async fn ask(function: &Function, what: &str, amount: u64) -> Result<Value, Failure> {
    let event = json!({"do": what, "amount": amount}).to_string();
    let answer = function.invoke(event).await;
    // An answer comes before the instance asks for more: until then another would be started.
    until("all are idle", async || {
        function.instances() == function.frozen()
    })
    .await;
    let answer = answer?;
    Ok(serde_json::from_slice(&answer).expect("the probe answers in JSON"))
}

/// Waits until something is so.
pub(crate) async fn until(what: &str, mut is_so: impl AsyncFnMut() -> bool) {
    let begun = Instant::now();
    while !is_so().await {
        assert!(begun.elapsed() < PATIENCE, "waited in vain until {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}
