//! Case 13, over a real connection: how the HTTP client handles a connection that breaks.

use std::sync::{Arc, Mutex};

use aws_sdk_s3::config::Credentials;
use bytes::Bytes;
use millpond::ports::{Bucket as _, Expect, Fault, Outcome, Version};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use super::script::key;
use crate::{Options, S3Bucket};

const BODY: Bytes = Bytes::from_static(b"body");

/// What a server does after it received a whole request.
#[derive(Debug, Clone, Copy)]
enum Then {
    /// Keeps the connection for the next one.
    Answers,
    Hangs,
    Breaks,
}

/// A server that accepts writes and loses replies as planned. Returns its address and the number of
/// accepted writes.
async fn serve(plan: Vec<Then>) -> (String, Arc<Mutex<usize>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let place = format!("http://{}", listener.local_addr().unwrap());
    let taken = Arc::new(Mutex::new(0));
    let counts = Arc::clone(&taken);
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            while take(&mut stream).await {
                let at = {
                    let mut taken = counts.lock().unwrap();
                    *taken += 1;
                    *taken - 1
                };
                match plan.get(at).expect("a request that nobody made") {
                    Then::Answers => {
                        let answer = "HTTP/1.1 200 OK\r\netag: \"v\"\r\ncontent-length: 0\r\n\r\n";
                        stream.write_all(answer.as_bytes()).await.unwrap();
                    }
                    Then::Hangs => std::future::pending().await,
                    Then::Breaks => break,
                }
            }
        }
    });
    (place, taken)
}

/// Reads one request; `false` if the client has closed the connection.
async fn take(stream: &mut TcpStream) -> bool {
    let mut got = Vec::new();
    while !got.ends_with(b"\r\n\r\nbody") {
        let mut chunk = [0; 4_096];
        match stream.read(&mut chunk).await {
            Ok(0) | Err(_) => return false,
            Ok(length) => got.extend_from_slice(&chunk[..length]),
        }
    }
    true
}

async fn open(place: &str, request_timeout_ms: u64) -> S3Bucket {
    let url = format!(
        "s3://pond?region=eu-north-1&endpoint={place}&request_timeout_ms={request_timeout_ms}"
    );
    let options: Options = url.parse().unwrap();
    let me = Credentials::new("id", "secret", None, None, "a test");
    S3Bucket::open_over(&options, Some(me), crate::open::http())
        .await
        .unwrap()
}

#[tokio::test]
async fn case13_a_create_and_a_replace_whose_reply_is_lost_are_unknown_and_sent_once() {
    for expect in [Expect::Absent, Expect::At(Version::new("\"v\""))] {
        for (lost, patience) in [(Then::Breaks, 30_000), (Then::Hangs, 200)] {
            let (place, taken) = serve(vec![lost]).await;
            let bucket = open(&place, patience).await;
            let done = bucket.write(&key("a"), BODY, expect.clone()).await.unwrap();
            assert_eq!(done, Outcome::Unknown, "{expect:?} {lost:?}");
            assert_eq!(*taken.lock().unwrap(), 1, "{expect:?} {lost:?}");
        }
    }
}

#[tokio::test]
async fn case13_on_a_connection_that_was_used_before_too() {
    let (place, taken) = serve(vec![Then::Answers, Then::Breaks]).await;
    let bucket = open(&place, 30_000).await;
    let first = bucket.write(&key("a"), BODY, Expect::Absent).await.unwrap();
    let Outcome::Landed(version) = first else {
        panic!("it landed");
    };
    let second = bucket
        .write(&key("a"), BODY, Expect::At(version))
        .await
        .unwrap();
    assert_eq!(second, Outcome::Unknown);
    assert_eq!(*taken.lock().unwrap(), 2);
}

#[tokio::test]
async fn a_write_that_found_no_connection_certainly_did_not_happen() {
    // A port that was free a moment ago: no process listens on it.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let place = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let bucket = open(&place, 30_000).await;
    let error = bucket
        .write(&key("a"), BODY, Expect::Absent)
        .await
        .unwrap_err();
    assert_eq!(error.fault, Fault::Unavailable);
    assert!(error.is_transient());
}
