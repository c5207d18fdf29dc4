//! Express One Zone: lists without order.

use millpond::ports::{Bucket, Page};

use super::listing::{keys, page};
use super::script::{Answer, Script, key, prefix};

/// A directory bucket: it returns a session first, then three pages in no order.
fn express() -> Script {
    Script::play(|asked| {
        if asked.uri.contains("session") {
            let xml = "<CreateSessionResult><Credentials><AccessKeyId>i</AccessKeyId>\
                <SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken>\
                <Expiration>2099-01-01T00:00:00Z</Expiration></Credentials></CreateSessionResult>";
            return Answer::Says(200, Vec::new(), xml.to_owned());
        }
        assert!(
            asked.uri.contains("prefix=root%2Fa%2F&") || asked.uri.ends_with("prefix=root%2Fa%2F")
        );
        assert!(
            !asked.uri.contains("start-after"),
            "it takes none: {}",
            asked.uri
        );
        let at = |token: &str| asked.uri.contains(&format!("continuation-token={token}"));
        match (at("t1"), at("t2")) {
            (true, _) => page(&["root/a/12", "root/a/0"], Some("t2")),
            (_, true) => page(&["root/a/11", "root/a/2"], None),
            _ => page(&["root/a/3", "root/a/10"], Some("t1")),
        }
    })
}

async fn list(below: &str, after: Option<&str>, limit: usize) -> Page {
    let bucket = express()
        .open("s3://pond--eun1-az1--x-s3/root?region=eu-north-1")
        .await;
    let after = after.map(key);
    bucket
        .list(&prefix(below), after.as_ref(), limit)
        .await
        .unwrap()
}

#[tokio::test(start_paused = true)]
async fn the_whole_folder_is_listed_sorted_and_cut() {
    let all = list("a/", None, 10).await;
    assert_eq!(keys(&all), ["a/0", "a/10", "a/11", "a/12", "a/2", "a/3"]);
    assert!(all.next.is_none());
    let first = list("a/", None, 2).await;
    assert_eq!(
        (keys(&first), first.next.is_some()),
        (vec!["a/0", "a/10"], true)
    );
    let next = list("a/", Some("a/10"), 2).await;
    assert_eq!(
        (keys(&next), next.next.is_some()),
        (vec!["a/11", "a/12"], true)
    );
    let last = list("a/", Some("a/12"), 2).await;
    assert_eq!(
        (keys(&last), last.next.is_some()),
        (vec!["a/2", "a/3"], false)
    );
}

#[tokio::test(start_paused = true)]
async fn a_prefix_that_ends_inside_a_component_lists_the_folder_above_it() {
    let ones = list("a/1", None, 10).await;
    assert_eq!(
        (keys(&ones), ones.next.is_some()),
        (vec!["a/10", "a/11", "a/12"], false)
    );
}
