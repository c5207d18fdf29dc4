use jiff::Timestamp;
use serde_json::json;

use super::{Scheme, Secrets, SignatureError, Verifier};
use crate::events::Request;

const NOW: &str = "2026-01-01T00:00:00Z";

fn request(header: &str, value: &str, body: &str) -> Request {
    let event = json!({
        "headers": {header: value}, "body": body,
        "requestContext": {"http": {"method": "POST"}},
    });
    Request::read(&event).unwrap()
}

fn verifier(scheme: Scheme, header: &str) -> Verifier {
    Verifier {
        scheme,
        secret: "s".to_owned(),
        header: header.to_owned(),
        tolerance: 60,
    }
}

fn github() -> Verifier {
    verifier(Scheme::Github, "X-Hub-Signature-256")
}

fn verify(signature: &Verifier, request: &Request, secret: &str) -> Result<(), SignatureError> {
    signature.verify(request, secret.as_bytes(), NOW.parse().unwrap())
}

/// The example of GitHub's own documentation.
#[test]
fn the_signature_of_githubs_documentation_is_accepted() {
    let mac = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
    let github = github();
    let good = request("X-Hub-Signature-256", mac, "Hello, World!");
    let secret = "It's a Secret to Everybody";
    assert_eq!(verify(&github, &good, secret), Ok(()));
    let other = request("X-Hub-Signature-256", mac, "Hello, World?");
    assert_eq!(
        verify(&github, &other, secret),
        Err(SignatureError::Differs)
    );
    assert_eq!(
        verify(&github, &good, "another"),
        Err(SignatureError::Differs)
    );
    let hex = verifier(Scheme::Hex, "X-Sig");
    let plain = request("x-sig", &mac[7..], "Hello, World!");
    assert_eq!(verify(&hex, &plain, secret), Ok(()));
    let base64 = verifier(Scheme::Base64, "X-Sig");
    let coded = "dXEH6g6yUJ/CESIczphLijdXC211hsIsRvQ3nIsEPhc=";
    let coded = request("X-Sig", coded, "Hello, World!");
    assert_eq!(verify(&base64, &coded, secret), Ok(()));
}

fn stripe(at: i64, body: &str, secret: &str) -> String {
    use hmac::{Hmac, KeyInit as _, Mac as _};
    let mut mac = Hmac::<sha2::Sha256>::new_from_slice(secret.as_bytes()).unwrap();
    mac.update(format!("{at}.{body}").as_bytes());
    let bytes = mac.finalize().into_bytes();
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn a_stripe_signature_covers_the_body_and_the_time() {
    let signature = verifier(Scheme::Stripe, "Stripe-Signature");
    let now = NOW.parse::<Timestamp>().unwrap().as_second();
    let of = |at: i64, macs: &[String]| {
        let macs: Vec<String> = macs.iter().map(|mac| format!("v1={mac}")).collect();
        request(
            "Stripe-Signature",
            &format!("t={at},{},v0=zz", macs.join(",")),
            "{}",
        )
    };
    let mac = |at| stripe(at, "{}", "k");
    assert_eq!(verify(&signature, &of(now, &[mac(now)]), "k"), Ok(()));
    assert_eq!(
        verify(&signature, &of(now + 60, &[mac(now + 60)]), "k"),
        Ok(())
    );
    // Two signatures during a rotation of the secret.
    let both = [stripe(now, "{}", "new"), mac(now)];
    assert_eq!(verify(&signature, &of(now, &both), "k"), Ok(()));
    // A time that differs from the signed one.
    assert_eq!(
        verify(&signature, &of(now, &[mac(now - 600)]), "k"),
        Err(SignatureError::Differs)
    );
    let stale = SignatureError::Stale {
        seconds: 61,
        max: 60,
    };
    assert_eq!(
        verify(&signature, &of(now - 61, &[mac(now - 61)]), "k"),
        Err(stale.clone())
    );
    assert_eq!(
        verify(&signature, &of(now + 61, &[mac(now + 61)]), "k"),
        Err(stale)
    );
}

/// Issue 14, item 20.
#[test]
fn a_malformed_v1_does_not_invalidate_the_good_one_beside_it() {
    let signature = verifier(Scheme::Stripe, "Stripe-Signature");
    let now = NOW.parse::<Timestamp>().unwrap().as_second();
    let good = stripe(now, "{}", "k");
    for header in [
        format!("t={now},v1=zz,v1={good}"),
        format!("t={now},v1={good},v1={}", &good[1..]),
        format!("t={now},v1={good},novelty"),
        format!("scheme, t={now} , v1=,v1={good}"),
    ] {
        let request = request("Stripe-Signature", &header, "{}");
        assert_eq!(verify(&signature, &request, "k"), Ok(()), "{header}");
        let other = verify(&signature, &request, "other");
        assert_eq!(other, Err(SignatureError::Differs), "{header}");
    }
}

#[test]
fn a_malformed_signature_is_distinguished_from_a_wrong_one() {
    let github = github();
    let none = request("X-Other", "x", "");
    assert!(matches!(
        verify(&github, &none, "k"),
        Err(SignatureError::NoHeader { .. })
    ));
    let short = format!("sha256={}", "00".repeat(31));
    let short = request("X-Hub-Signature-256", &short, "");
    assert_eq!(verify(&github, &short, "k"), Err(SignatureError::Differs));
    for bad in [
        "",
        "sha256=",
        "sha1=00",
        "sha256=0",
        "sha256=0g",
        "sha256=é0",
    ] {
        let error = verify(&github, &request("X-Hub-Signature-256", bad, ""), "k");
        assert!(error.is_err(), "{bad}");
    }
    let stripe = verifier(Scheme::Stripe, "Stripe-Signature");
    for bad in ["", "t=1", "v1=00", "t=x,v1=zz", "t,v1"] {
        let error = verify(&stripe, &request("Stripe-Signature", bad, ""), "k");
        assert!(
            matches!(error, Err(SignatureError::Form { .. })),
            "{bad}: {error:?}"
        );
    }
}

#[test]
fn secrets_are_read_and_never_shown() {
    let secrets = Secrets::parse(r#"{"github": "very-secret"}"#).unwrap();
    assert_eq!(secrets.get("github"), Some(&b"very-secret"[..]));
    assert_eq!(format!("{secrets:?}"), "{\"github\"}");
    for bad in [
        "very-secret",
        r#"["very-secret"]"#,
        r#"{"a": 7, "b": "very-secret"}"#,
    ] {
        let error = Secrets::parse(bad).expect_err("no secrets").to_string();
        assert!(
            error.contains("JSON object") && !error.contains("very"),
            "{error}"
        );
    }
    let empty = Secrets::parse(r#"{"a": ""}"#)
        .expect_err("empty")
        .to_string();
    assert!(empty.contains("\"a\" is empty"), "{empty}");
}
