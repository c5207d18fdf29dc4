//! Settings of a bucket, as operator commands show them.

use millpond::ports::Fault;

use super::script::{Answer, Script};
use crate::{Rule, RuleAction, Versioning};

async fn lifecycle(rules: &str) -> Vec<Rule> {
    let text = format!("<LifecycleConfiguration>{rules}</LifecycleConfiguration>");
    let script = Script::of([Answer::body(&text)]);
    let rules = script.bucket().await.lifecycle().await;
    assert!(script.asked()[0].uri.contains("?lifecycle"));
    rules.unwrap()
}

fn rule(name: &str, action: RuleAction) -> Rule {
    let name = name.to_owned();
    Rule { name, action }
}

#[tokio::test]
async fn versioning_is_off_until_the_bucket_reports_otherwise() {
    for (status, wanted) in [
        ("", Versioning::Off),
        ("<Status>Enabled</Status>", Versioning::Enabled),
        ("<Status>Suspended</Status>", Versioning::Suspended),
    ] {
        let text = format!("<VersioningConfiguration>{status}</VersioningConfiguration>");
        let script = Script::of([Answer::body(&text)]);
        let message = script.bucket().await.versioning().await;
        assert_eq!(message.unwrap(), wanted);
        assert!(script.asked()[0].uri.contains("?versioning"));
    }
}

#[tokio::test]
async fn express_has_no_versions_and_is_not_asked() {
    let script = Script::of([]);
    let bucket = script
        .open("s3://pond--eun1-az1--x-s3?region=eu-north-1")
        .await;
    assert_eq!(bucket.versioning().await.unwrap(), Versioning::Off);
    assert!(script.asked().is_empty());
}

#[tokio::test]
async fn lifecycle_rules_over_our_objects_are_described_by_their_effect() {
    let rules = lifecycle(
        "<Rule><ID>all</ID><Status>Enabled</Status><Filter/><Expiration><Days>30</Days></Expiration>\
         <Transition><Days>3</Days><StorageClass>GLACIER</StorageClass></Transition></Rule>\
         <Rule><ID>below</ID><Status>Enabled</Status><Filter><And><Prefix>root/x/</Prefix>\
         <ObjectSizeGreaterThan>9</ObjectSizeGreaterThan></And></Filter>\
         <Expiration><Date>2030-01-01T00:00:00Z</Date></Expiration></Rule>\
         <Rule><ID>old</ID><Status>Enabled</Status><Prefix>ro</Prefix>\
         <NoncurrentVersionExpiration><NoncurrentDays>1</NoncurrentDays>\
         </NoncurrentVersionExpiration></Rule>",
    )
    .await;
    let wanted = [
        rule("all", RuleAction::Expires),
        rule("all", RuleAction::Moves("GLACIER".to_owned())),
        rule("below", RuleAction::Expires),
        rule("old", RuleAction::OldVersions),
    ];
    assert_eq!(rules, wanted);
}

#[tokio::test]
async fn rules_that_do_not_touch_what_we_write_are_left_out() {
    let expires = "<Expiration><Days>1</Days></Expiration>";
    let rules = lifecycle(&format!(
        "<Rule><Status>Disabled</Status><Filter/>{expires}</Rule>\
         <Rule><Status>Enabled</Status><Filter><Prefix>other/</Prefix></Filter>{expires}</Rule>\
         <Rule><Status>Enabled</Status><Filter><Tag><Key>a</Key><Value>b</Value></Tag></Filter>\
         {expires}</Rule>\
         <Rule><Status>Enabled</Status><Filter><And><Prefix>root/</Prefix><Tag><Key>a</Key>\
         <Value>b</Value></Tag></And></Filter>{expires}</Rule>\
         <Rule><Status>Enabled</Status><Filter/><AbortIncompleteMultipartUpload>\
         <DaysAfterInitiation>1</DaysAfterInitiation></AbortIncompleteMultipartUpload></Rule>\
         <Rule><Status>Enabled</Status><Filter/><Expiration><ExpiredObjectDeleteMarker>true\
         </ExpiredObjectDeleteMarker></Expiration></Rule>"
    ))
    .await;
    assert_eq!(rules, []);
}

#[tokio::test]
async fn a_bucket_without_rules_has_none_and_one_that_may_not_be_asked_says_so() {
    let none = Script::of([Answer::error(404, "NoSuchLifecycleConfiguration")]);
    assert_eq!(none.bucket().await.lifecycle().await.unwrap(), []);
    for (status, code, fault) in [
        (403, "AccessDenied", Fault::Denied),
        (501, "NotImplemented", Fault::Invalid),
        (404, "NoSuchBucket", Fault::Gone),
    ] {
        let script = Script::of([Answer::error(status, code), Answer::error(status, code)]);
        let bucket = script.bucket().await;
        assert_eq!(bucket.lifecycle().await.unwrap_err().fault, fault);
        assert_eq!(bucket.versioning().await.unwrap_err().fault, fault);
    }
}
