//! Requests to the Function URL.

use millpond_testing::{Injection, Rule};
use serde_json::{Value, json};

use super::super::Outcome;
use super::world::Stand;

const RULES: &str = r#"
[[trigger]]
name = "pushes"
source = "webhook"
path = "/hooks/github"
signature = { scheme = "github", secret = "hub" }
workflow = "keep"
input = "$.body"
key = "push ${$.body}"

[[trigger]]
name = "open"
source = "webhook"
path = "/hooks/open"
unsigned = true
pattern = { body = { kind = ["order"] } }
workflow = "count"
input = "$.body.n"

[[trigger]]
name = "forms"
source = "webhook"
path = "/hooks/form"
signature = { scheme = "github", secret = "hub" }
workflow = "keep"
input = { ref = "$.body.ref", event = "$.headers['x-github-event']" }
"#;

/// The signature with the secret of the test world.
const SIGNED: &str = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
const BODY: &str = "Hello, World!";

#[expect(
    clippy::needless_pass_by_value,
    reason = "it is written where it is given"
)]
fn post(path: &str, headers: Value, body: &str) -> Value {
    json!({
        "version": "2.0", "rawPath": path, "headers": headers, "body": body,
        "requestContext": {"http": {"method": "POST", "path": path}, "requestId": "r1"},
    })
}

/// Status and body of the answer.
fn answer(stand: &Stand, event: Value) -> (u64, Value) {
    let payload = stand.handle(event).payload().unwrap();
    let body = serde_json::from_str(payload["body"].as_str().unwrap()).unwrap();
    (payload["statusCode"].as_u64().unwrap(), body)
}

#[test]
fn a_signed_request_starts_once() {
    let stand = Stand::new(RULES);
    let headers = json!({"X-Hub-Signature-256": SIGNED, "X-GitHub-Delivery": "d1"});
    let event = post("/hooks/github", headers, BODY);
    let (status, body) = answer(&stand, event.clone());
    assert_eq!(
        (status, &body["done"][0]["fresh"]),
        (202, &json!(true)),
        "{body}"
    );
    let (status, body) = answer(&stand, event);
    assert_eq!(
        (status, &body["done"][0]["fresh"]),
        (202, &json!(false)),
        "{body}"
    );
    assert_eq!(stand.input("push Hello, World!"), json!(BODY));
    assert_eq!(stand.executions(), 1);
}

/// Issue 14, item 16.
#[test]
fn a_captured_request_with_other_unsigned_parts_starts_nothing_again() {
    let stand = Stand::new(RULES);
    for n in 0..5 {
        for path in ["/hooks/github", "/hooks/form"] {
            let headers = json!({
                "X-Hub-Signature-256": SIGNED, "X-GitHub-Delivery": format!("d{n}"),
                "x-github-event": "push", "content-type": "text/plain",
            });
            let mut event = post(path, headers, BODY);
            event["rawQueryString"] = json!(format!("n={n}"));
            let (status, body) = answer(&stand, event);
            let wanted = if path == "/hooks/github" { 202 } else { 422 };
            assert_eq!(status, wanted, "{body}");
        }
    }
    assert_eq!(stand.executions(), 1);
}

/// Issue 14, item 20: as GitHub sends it to a webhook with the content type of forms.
#[test]
fn a_form_encoded_delivery_is_unwrapped() {
    let stand = Stand::new(RULES);
    let body = form_urlencoded::Serializer::new(String::new())
        .append_pair("payload", r#"{"ref": "refs/heads/ma in", "n": [1]}"#)
        .finish();
    let headers = json!({
        "X-Hub-Signature-256": format!("sha256={}", sign(&body)), "x-github-event": "push",
        "Content-Type": "application/x-www-form-urlencoded; charset=utf-8",
    });
    let (status, answer) = answer(&stand, post("/hooks/form", headers, &body));
    assert_eq!(status, 202, "{answer}");
    let key = format!("forms:{}", millpond::domain::Digest::of(body.as_bytes()));
    assert_eq!(
        stand.input(&key),
        json!({"ref": "refs/heads/ma in", "event": "push"})
    );
}

fn sign(body: &str) -> String {
    use hmac::{Hmac, KeyInit as _, Mac as _};
    let mut mac = Hmac::<sha2::Sha256>::new_from_slice(b"It's a Secret to Everybody").unwrap();
    mac.update(body.as_bytes());
    hex::encode(mac.finalize().into_bytes())
}

#[test]
fn a_request_without_proof_starts_nothing_and_reveals_nothing() {
    let stand = Stand::new(RULES);
    let unsigned = json!({"X-GitHub-Delivery": "d1"});
    let wrong = json!({"X-Hub-Signature-256": SIGNED, "X-GitHub-Delivery": "d1"});
    for (headers, body) in [(unsigned, BODY), (wrong, "Hello, World?")] {
        let (status, body) = answer(&stand, post("/hooks/github", headers, body));
        assert_eq!((status, body), (401, json!({"error": "invalid signature"})));
    }
    let mut get = post("/hooks/open", json!({}), "{}");
    get["requestContext"]["http"]["method"] = json!("GET");
    let got = stand.handle(get.clone());
    assert_eq!(got.payload().unwrap()["headers"]["allow"], json!("POST"));
    assert_eq!(answer(&stand, get).0, 405);
    assert_eq!(answer(&stand, post("/", json!({}), "{}")).0, 404);
    let mut broken = post("/hooks/open", json!({}), "?");
    broken["isBase64Encoded"] = json!(true);
    assert_eq!(answer(&stand, broken).0, 400);
    assert_eq!(stand.executions(), 0);
}

#[test]
fn the_answer_to_a_request_is_its_outcome() {
    let stand = Stand::new(RULES);
    let send = |body: Value| answer(&stand, post("/hooks/open", json!({}), &body.to_string()));
    assert_eq!(send(json!({"kind": "other"})), (200, json!({"done": []})));
    // The answer must not reveal the patterns of the rules: only the log contains them.
    let no = json!({"error": "the request was refused: see the log of the function"});
    assert_eq!(send(json!({"kind": "order"})), (422, no.clone()));
    assert_eq!(send(json!({"kind": "order", "n": "three"})), (422, no));
    stand
        .world
        .faults
        .add(Rule::new(Injection::NotSent).always());
    assert_eq!(send(json!({"kind": "order", "n": 3})).0, 503);
    stand.world.faults.heal();
    assert_eq!(send(json!({"kind": "order", "n": 3})).0, 202);
    assert_eq!(stand.executions(), 1);
}

#[test]
fn the_log_has_the_reason_of_a_refusal() {
    let stand = Stand::new(RULES);
    let report = stand.handle(post("/hooks/github", json!({}), BODY));
    let Outcome::Refused { why, .. } = &report.records[0].outcomes[0] else {
        panic!("{report:?}")
    };
    assert_eq!(
        why,
        "POST /hooks/github: pushes: the request has no header X-Hub-Signature-256"
    );
    assert_eq!(report.records[0].id.as_deref(), Some("r1"));
}
