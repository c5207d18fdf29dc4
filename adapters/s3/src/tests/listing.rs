//! Pages.

use millpond::ports::{Bucket as _, Fault};

use super::script::{Answer, Script, key, prefix};

/// A page in the XML of S3.
pub(super) fn page(names: &[&str], next: Option<&str>) -> Answer {
    let row = |name: &&str| {
        format!(
            "<Contents><Key>{name}</Key><LastModified>2026-11-27T10:00:00.250Z</LastModified>\
             <ETag>&quot;v&quot;</ETag><Size>7</Size></Contents>"
        )
    };
    let rows: String = names.iter().map(row).collect();
    let next = match next {
        Some(token) => format!(
            "<IsTruncated>true</IsTruncated>\
             <NextContinuationToken>{token}</NextContinuationToken>"
        ),
        None => "<IsTruncated>false</IsTruncated>".to_owned(),
    };
    let xml = format!("<ListBucketResult>{next}{rows}</ListBucketResult>");
    Answer::Says(200, Vec::new(), xml)
}

pub(super) fn keys(page: &millpond::ports::Page) -> Vec<&str> {
    page.entries.iter().map(|row| row.key.as_str()).collect()
}

#[tokio::test(start_paused = true)]
async fn a_page_is_one_request_below_the_root_and_shows_keys_without_it() {
    let script = Script::of([page(&["root/a/1", "root/a/2"], Some("t"))]);
    let bucket = script.bucket().await;
    let found = bucket
        .list(&prefix("a/"), Some(&key("a/0")), 5_000)
        .await
        .unwrap();
    assert_eq!(
        (keys(&found), found.next.is_some()),
        (vec!["a/1", "a/2"], true)
    );
    let row = &found.entries[0];
    assert_eq!(row.modified.to_string(), "2026-11-27T10:00:00.25Z");
    assert_eq!(row.size, 7);
    let uri = &script.asked()[0].uri;
    for part in [
        "list-type=2",
        "prefix=root%2Fa%2F",
        "start-after=root%2Fa%2F0",
        "max-keys=1000",
    ] {
        assert!(uri.contains(part), "{part}: {uri}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_page_of_foreign_objects_is_skipped_and_no_empty_page_claims_more() {
    let script = Script::of([
        page(&["root/a/", "root/a//x"], Some("t1")),
        page(&["root/a/b c"], Some("t2")),
        page(&["root/a/1"], Some("t3")),
    ]);
    let found = script
        .bucket()
        .await
        .list(&prefix("a/"), None, 2)
        .await
        .unwrap();
    assert_eq!((keys(&found), found.next.is_some()), (vec!["a/1"], true));
    assert!(script.asked()[2].uri.contains("continuation-token=t2"));

    let script = Script::of([page(&["root/a/"], None)]);
    let found = script
        .bucket()
        .await
        .list(&prefix("a/"), None, 2)
        .await
        .unwrap();
    assert!(found.entries.is_empty() && found.next.is_none());
}

#[tokio::test(start_paused = true)]
async fn a_page_without_the_position_of_the_next_is_not_the_last() {
    let xml = "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>";
    let script = Script::of([Answer::Says(200, Vec::new(), xml.to_owned())]);
    let error = script
        .bucket()
        .await
        .list(&prefix(""), None, 2)
        .await
        .unwrap_err();
    assert_eq!(error.fault, Fault::Unavailable);
}
