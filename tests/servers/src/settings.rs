//! Settings of a bucket, as operators change them.

use aws_sdk_s3::types::{
    BucketLifecycleConfiguration, BucketVersioningStatus, ExpirationStatus, LifecycleExpiration,
    LifecycleRule, LifecycleRuleFilter, NoncurrentVersionExpiration, VersioningConfiguration,
};

use crate::server::{Place, Server};

impl Server {
    /// Enables or suspends versioning of a bucket.
    ///
    /// # Panics
    /// If the server rejects the request.
    pub async fn keep_versions(&self, place: &Place, keep: bool) {
        let status = match keep {
            true => BucketVersioningStatus::Enabled,
            false => BucketVersioningStatus::Suspended,
        };
        let versioning = VersioningConfiguration::builder().status(status).build();
        let asked = self.client().put_bucket_versioning().bucket(&place.bucket);
        let set = asked.versioning_configuration(versioning).send().await;
        set.expect("the server sets versioning");
    }

    /// Makes a bucket expire objects below `prefix` after a day, and old versions of all objects.
    ///
    /// # Panics
    /// If the server rejects the request.
    pub async fn expire(&self, place: &Place, prefix: &str) {
        let rule = |name: &str, prefix: &str| {
            LifecycleRule::builder()
                .id(name)
                .status(ExpirationStatus::Enabled)
                .filter(LifecycleRuleFilter::builder().prefix(prefix).build())
        };
        let day = LifecycleExpiration::builder().days(1).build();
        let old = NoncurrentVersionExpiration::builder();
        let old = old.noncurrent_days(1).build();
        let rules = [
            rule("by-age", prefix).expiration(day),
            rule("old-versions", "").noncurrent_version_expiration(old),
        ];
        let rules = rules.map(|rule| rule.build().expect("it has a status"));
        let lifecycle = BucketLifecycleConfiguration::builder()
            .set_rules(Some(rules.into()))
            .build()
            .expect("it has rules");
        let client = self.client();
        let asked = client
            .put_bucket_lifecycle_configuration()
            .bucket(&place.bucket);
        let set = asked.lifecycle_configuration(lifecycle).send().await;
        set.expect("the server sets lifecycle rules");
    }
}
