//! An engine whose objects are compressed and encrypted, while its key is changed.

use std::sync::Arc;

use millpond::client::Signal;
use millpond::client::{App, Start};
use millpond::keys::{Key, Prefix};
use millpond::ports::{Bucket, Clock};
use millpond::settings::Settings;
use millpond::{Context, Failed, StepError};
use millpond_codec::{Codec, Coded, Keyring};
use millpond_host::{OsEntropy, StoreClock};
use millpond_s3::S3Bucket;

use crate::stage::{Process, Store};

const SECRET: &str = "the quick brown fox of account 4711";
/// 32 bytes in base64, each.
const OLD: &str = "old = b2xkIG9sZCBvbGQgb2xkIG9sZCBvbGQgb2xkIG9sZCE=";
const NEW: &str = "new = bmV3IG5ldyBuZXcgbmV3IG5ldyBuZXcgbmV3IG5ldyE=";

async fn whisper(text: String) -> Result<String, StepError> {
    Ok(format!("{text}, whispered"))
}

/// Inputs, steps, large values, messages: the text is everywhere.
async fn secretive(ctx: Context, text: String) -> Result<String, Failed> {
    let once = ctx.call("whisper", whisper, &text).await?;
    let often = ctx.call("whisper", whisper, &text.repeat(2_000)).await?;
    ctx.announce("said", &once)?;
    let heard: String = ctx.receive("in").await?;
    Ok(format!("{once} {} {heard}", often.len()))
}

async fn process(store: &Store, ring: &str) -> (Process, Arc<S3Bucket>) {
    let bucket = store.open().await;
    let clock = Arc::new(StoreClock::new(Arc::clone(bucket.time()))) as Arc<dyn Clock>;
    let keyring = Keyring::parse(ring).expect("a good ring");
    let codec = Codec::new().zstd(3).encrypted(keyring);
    let raw = Arc::clone(&bucket);
    let coded = Arc::new(Coded::new(bucket, codec, Arc::new(OsEntropy::default())));
    let app = App::new().workflow("secretive", "1", secretive);
    (Process::new(coded, clock, app, Settings::default()), raw)
}

/// Every object there is, as the server holds it.
async fn stored(bucket: &dyn Bucket) -> Vec<(Key, Vec<u8>)> {
    let mut all = Vec::new();
    for root in ["x/", "mail/", "timers/", "feed/"] {
        let below = Prefix::parse(root).expect("a folder of the layout");
        let page = bucket.list(&below, None, 1_000).await;
        let page = page.expect("the list is answered");
        assert!(!page.more);
        for row in page.entries {
            let found = bucket.read(&row.key).await.expect("the read is answered");
            let object = found.expect("it is listed");
            all.push((row.key, object.body.to_vec()));
        }
    }
    all
}

fn contains(body: &[u8], text: &str) -> bool {
    body.windows(text.len()).any(|part| part == text.as_bytes())
}

fn assert_sealed(objects: &[(Key, Vec<u8>)]) {
    for (key, body) in objects {
        for word in [SECRET, "whispered", "secretive", "4711"] {
            assert!(!contains(body, word), "{word} can be read in {key}");
        }
    }
}

#[tokio::test]
async fn nothing_can_be_read_in_the_store_and_a_new_key_still_reads_what_the_old_one_wrote() {
    let store = Store::fresh().await;
    let (before, raw) = process(&store, OLD).await;
    before.work();
    let input = SECRET.to_owned();
    let eid = before.start(Start::new("secretive").input(&input)).await;
    before.suspended(eid).await;
    let objects = stored(&*raw).await;
    assert!(
        objects
            .iter()
            .any(|(key, _)| key.as_str().contains("/blob/"))
    );
    assert!(objects.iter().all(|(_, body)| contains(body, "old")));
    assert_sealed(&objects);
    drop(before);
    let (after, raw) = process(&store, &format!("{NEW}\n{OLD}")).await;
    after.signal(eid, Signal::on("in").value(SECRET)).await;
    after.work();
    let result: String = after.result(eid).await.unwrap();
    let length = SECRET.len() * 2_000 + ", whispered".len();
    assert_eq!(result, format!("{SECRET}, whispered {length} {SECRET}"));
    let objects = stored(&*raw).await;
    let head = objects
        .iter()
        .find(|(key, _)| key.as_str().ends_with("/head"));
    let (_, head) = head.expect("there is one");
    assert!(contains(&head[..16], "new"), "the head is written anew");
    let old = objects
        .iter()
        .filter(|(_, body)| contains(&body[..16], "old"));
    assert!(old.count() > 0, "what nobody changes stays as it is");
    assert_sealed(&objects);
}
