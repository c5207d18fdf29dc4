//! The function that the tests of the emulated cloud run: its event specifies what it does.

#[cfg(unix)]
mod probe {
    use std::collections::BTreeMap;
    use std::io::Write as _;
    use std::time::{Duration, Instant};

    use lambda_runtime::{Error, LambdaEvent, service_fn};
    use serde_json::{Value, json};

    #[tokio::main(flavor = "current_thread")]
    pub(crate) async fn main() -> Result<(), Error> {
        match std::env::var("PROBE_INIT").as_deref() {
            Ok("exit") => std::process::exit(7),
            Ok("hang") => std::future::pending().await,
            _ => lambda_runtime::run(service_fn(handle)).await,
        }
    }

    async fn handle(event: LambdaEvent<Value>) -> Result<Value, Error> {
        let (event, context) = event.into_parts();
        note(&event, &context.request_id);
        if let Some(records) = event["Records"].as_array() {
            return Ok(batch(records).await);
        }
        if event["version"] == "2.0" {
            return Ok(page(&event));
        }
        let amount = usize::try_from(event["amount"].as_u64().unwrap_or(0))?;
        match event["do"].as_str() {
            Some("wait") => tokio::time::sleep(Duration::from_millis(u64::try_from(amount)?)).await,
            Some("spin") => {
                let begun = Instant::now();
                while begun.elapsed().as_millis() < u128::try_from(amount)? {}
            }
            Some("exit") => std::process::exit(3),
            Some("abort") => std::process::abort(),
            Some("fail") => return Err("the event asks for a failure".into()),
            Some("large") => return Ok("x".repeat(amount).into()),
            Some("eat") => {
                let eaten = vec![1_u8; amount];
                tokio::time::sleep(Duration::from_secs(60)).await;
                return Ok(eaten.len().into());
            }
            Some("environment") => {
                let all: BTreeMap<_, _> = std::env::vars().collect();
                return Ok(serde_json::to_value(all)?);
            }
            _ => {}
        }
        Ok(json!({
            "pid": std::process::id(),
            "request": context.request_id,
            "deadline": context.deadline,
            "arn": context.invoked_function_arn,
            "trace": context.xray_trace_id,
            "event": event,
        }))
    }

    /// Each message specifies whether it fails, ends the process, or takes its time.
    async fn batch(records: &[Value]) -> Value {
        let mut failures = Vec::new();
        for record in records {
            let body: Value = record["body"].as_str().map_or(Value::Null, |body| {
                serde_json::from_str(body).unwrap_or_default()
            });
            let wait = body["wait_ms"].as_u64().unwrap_or(0);
            tokio::time::sleep(Duration::from_millis(wait)).await;
            match body["do"].as_str() {
                Some("fail") => failures.push(json!({"itemIdentifier": record["messageId"]})),
                Some("stranger") => failures.push(json!({"itemIdentifier": "nobody"})),
                Some("exit") => std::process::exit(3),
                _ => {}
            }
        }
        json!({"batchItemFailures": failures})
    }

    fn page(event: &Value) -> Value {
        match event["rawPath"].as_str() {
            Some("/plain") => json!({"hello": "world"}),
            Some("/binary") => {
                json!({"statusCode": 201, "headers": {"x-kind": "odd"}, "cookies": ["a=1"],
                    "body": "AAEC", "isBase64Encoded": true})
            }
            _ => json!({"statusCode": 200, "body": event.to_string()}),
        }
    }

    /// Appends what came to the ledger, if there is one: one write a line, so lines stay whole.
    fn note(event: &Value, request: &str) {
        let Ok(path) = std::env::var("PROBE_LEDGER") else {
            return;
        };
        let line = format!("{}\n", json!({"request": request, "event": event}));
        let file = std::fs::File::options()
            .create(true)
            .append(true)
            .open(path);
        let written = file.and_then(|mut file| file.write_all(line.as_bytes()));
        written.expect("the ledger can be written");
    }
}

#[cfg(unix)]
fn main() -> Result<(), lambda_runtime::Error> {
    probe::main()
}

#[cfg(not(unix))]
fn main() {}
