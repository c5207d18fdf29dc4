//! The differences that the mirror detects, with a server that responds by script.
#![expect(
    clippy::disallowed_methods,
    reason = "the server that lies is a thread of the test"
)]

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use bytes::Bytes;
use futures::executor::block_on;
use serde_json::{Value, json};

use super::{clock, key, write};
use crate::keys::Prefix;
use crate::ports::{Bucket, Expect, Version};
use crate::testing::MemoryBucket;

/// A response and the bytes of its object.
type Says = (Value, &'static str);

fn frame(stream: &mut TcpStream) -> Option<Value> {
    let mut lengths = [0; 8];
    stream.read_exact(&mut lengths).ok()?;
    let [a, b, c, d, body @ ..] = lengths;
    let mut take = |length: [u8; 4]| {
        let mut bytes = vec![0; u32::from_be_bytes(length) as usize];
        stream.read_exact(&mut bytes).unwrap();
        bytes
    };
    let header = take([a, b, c, d]);
    take(body);
    Some(serde_json::from_slice(&header).unwrap())
}

/// A bucket beside a store that returns these responses in order, and then closes the connection.
fn beside(script: Vec<Says>) -> MemoryBucket {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let hello = frame(&mut stream).unwrap();
        assert_eq!(hello["verb"], "hello");
        for (answer, body) in script {
            if frame(&mut stream).is_none() {
                return;
            }
            let header = answer.to_string();
            let mut sent = Vec::new();
            sent.extend(u32::try_from(header.len()).unwrap().to_be_bytes());
            sent.extend(u32::try_from(body.len()).unwrap().to_be_bytes());
            sent.extend(header.into_bytes());
            sent.extend(body.bytes());
            stream.write_all(&sent).unwrap();
        }
    });
    MemoryBucket::mirrored(clock(), &address)
}

fn landed(version: &str) -> Says {
    (json!({"answer": "landed", "version": version}), "")
}

fn object(version: &str, body: &'static str) -> Says {
    (json!({"answer": "object", "version": version}), body)
}

fn page(keys: &[(&str, u64)], more: bool) -> Says {
    (json!({"answer": "page", "keys": keys, "more": more}), "")
}

fn text(answer: &str) -> Says {
    (json!({"answer": answer}), "")
}

/// Two objects, a replace that lands and one that does not, a read, a page and a delete.
fn honest() -> Vec<Says> {
    vec![
        landed("e1"),
        landed("e2"),
        landed("e3"),
        text("refused"),
        object("e3", "three"),
        page(&[("a", 5), ("b", 3)], false),
        page(&[("a", 5)], true),
        text("deleted"),
        text("absent"),
    ]
}

fn play(bucket: &MemoryBucket) -> Option<Version> {
    let first = write(bucket, "a", "one", Expect::Absent)?;
    write(bucket, "b", "two", Expect::Absent)?;
    let newest = write(bucket, "a", "three", Expect::At(first.clone()));
    assert_eq!(write(bucket, "a", "four", Expect::At(first)), None);
    let read = block_on(bucket.read(&key("a"))).unwrap().unwrap();
    assert_eq!(
        (read.body, Some(&read.version)),
        ("three".into(), newest.as_ref())
    );
    for limit in [2, 1] {
        let page = block_on(bucket.list(&Prefix::all(), None, limit)).unwrap();
        assert_eq!(
            (page.entries.len(), page.next.is_some()),
            (limit, limit == 1)
        );
    }
    block_on(bucket.delete(&key("a"))).unwrap();
    assert_eq!(block_on(bucket.read(&key("a"))).unwrap(), None);
    newest
}

/// The panic message if the response with this number is replaced.
fn lie(number: usize, answer: Says) -> String {
    let mut script = honest();
    script[number] = answer;
    let bucket = beside(script);
    let caught = catch_unwind(AssertUnwindSafe(|| play(&bucket))).expect_err("it is noticed");
    // It panics a second time, although the first panic was caught.
    let again = catch_unwind(AssertUnwindSafe(|| drop(bucket))).expect_err("it is kept");
    let words = caught.downcast::<String>().unwrap();
    assert_eq!(again.downcast::<String>().unwrap(), words);
    *words
}

#[test]
fn a_store_that_answers_as_memory_does_gives_the_versions() {
    let bucket = beside(honest());
    assert_eq!(play(&bucket), Some(Version::new("v3 e3")));
    assert_eq!(bucket.snapshot(), [(key("b"), Bytes::from("two"))]);
}

#[test]
fn a_write_that_lands_or_is_refused_unlike_memory_is_noticed() {
    for (number, answer) in [
        (0, text("refused")),
        (2, text("refused")),
        (2, text("unknown")),
        (3, landed("e4")),
        (3, text("unknown")),
    ] {
        let words = lie(number, answer);
        let expect = if number == 0 { "None" } else { "Some(\"e1\")" };
        let asked = format!("Write {{ key: a, expect: {expect} }}");
        assert!(words.contains(&asked), "{words}");
        assert!(words.contains("unlike memory: store="), "{words}");
    }
}

#[test]
fn a_read_of_another_body_or_version_or_of_nothing_is_noticed() {
    for answer in [
        object("e3", "Three"),
        object("e3", "three "),
        object("e1", "three"),
        object("e1", "one"),
        text("absent"),
    ] {
        let words = lie(4, answer);
        assert!(words.contains("Read { key: a }"), "{words}");
        assert!(
            words.contains("memory=Object { version: \"e3\" } body=5 bytes \"three\""),
            "{words}"
        );
    }
    let words = lie(8, object("e3", "three"));
    assert!(words.contains("memory=Absent"), "{words}");
}

#[test]
fn a_page_that_lacks_swaps_adds_or_mismeasures_keys_or_ends_otherwise_is_noticed() {
    for answer in [
        page(&[("a", 5)], false),
        page(&[("b", 3), ("a", 5)], false),
        page(&[("a", 5), ("b", 3), ("c", 1)], false),
        page(&[("a", 3), ("b", 3)], false),
        page(&[("a", 5), ("b", 3)], true),
    ] {
        let words = lie(5, answer);
        assert!(
            words.contains("List { prefix: \"\", after: None, limit: 2 }"),
            "{words}"
        );
    }
    let words = lie(6, page(&[("a", 5)], false));
    assert!(words.contains("more: true"), "{words}");
}

#[test]
fn an_error_of_the_store_or_words_that_are_no_answer_are_noticed() {
    let words = lie(7, (json!({"answer": "failed", "why": "full"}), ""));
    assert!(words.contains("Delete { key: a }"), "{words}");
    assert!(words.contains("Failed { why: \"full\" }"), "{words}");
    let (mut page, body) = page(&[("a", 5), ("b", 3)], false);
    page["next"] = json!("c");
    for (number, answer) in [(7, text("gone")), (5, (page, body))] {
        let words = lie(number, answer);
        assert!(words.contains("got no answer of the store"), "{words}");
    }
}

#[test]
fn a_swap_that_lands_because_equal_bytes_have_one_version_is_noticed() {
    let bucket = beside(vec![landed("e1"), landed("e2"), landed("e1"), landed("e3")]);
    let stale = write(&bucket, "a", "one", Expect::Absent).unwrap();
    let other = write(&bucket, "a", "two", Expect::At(stale.clone())).unwrap();
    write(&bucket, "a", "one", Expect::At(other)).unwrap();
    let late = AssertUnwindSafe(|| write(&bucket, "a", "four", Expect::At(stale)));
    let words = catch_unwind(late).expect_err("it is noticed");
    let words = words.downcast::<String>().unwrap();
    assert!(words.contains("store=Landed"), "{words}");
    assert!(words.contains("memory=Refused"), "{words}");
    // It would panic again.
    std::mem::forget(bucket);
}

#[test]
#[should_panic(expected = "got no answer of the store")]
fn a_store_that_hangs_up_is_noticed() {
    play(&beside(honest()[..3].to_vec()));
}

#[test]
#[should_panic(expected = "no store at MILLPOND_TEST_MIRROR=127.0.0.1:1")]
fn a_store_that_is_not_there_is_noticed() {
    MemoryBucket::mirrored(clock(), "127.0.0.1:1");
}
