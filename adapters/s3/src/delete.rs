//! Deletes one object.

use millpond::keys::Key;
use millpond::ports::{BucketError, Fault, Verb};

use crate::bucket::S3Bucket;
use crate::fault::{Meaning, meaning};
use crate::reply::Reply;

impl S3Bucket {
    /// One DELETE. A missing object counts as deleted: S3 replies 204, some stores 404.
    pub(crate) async fn remove(&self, key: &Key) -> Result<(), BucketError> {
        let watch = self.watch();
        let asked = self
            .client
            .delete_object()
            .bucket(&self.name)
            .key(self.root.key(key))
            .customize()
            .interceptor(watch.clone());
        let sent = async {
            asked
                .send()
                .await
                .map_err(|error| Reply::of(&error, &watch))
        };
        let Err(reply) = self.in_time(&watch, sent).await else {
            return Ok(());
        };
        match meaning(Verb::Delete, &reply) {
            Meaning::Absent => Ok(()),
            Meaning::Trouble(fault) => Err(reply.into_error(fault, Verb::Delete, key)),
            Meaning::Refused | Meaning::Conflict | Meaning::Unknown => {
                Err(reply.into_error(Fault::Unavailable, Verb::Delete, key))
            }
        }
    }
}
