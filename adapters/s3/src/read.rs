//! Reads one object.

use millpond::keys::Key;
use millpond::ports::{BucketError, Fault, Object, Verb, Version};

use crate::body;
use crate::bucket::S3Bucket;
use crate::fault::{Meaning, meaning};
use crate::reply::Reply;

impl S3Bucket {
    /// One GET. The body is compared with the promised length (S3).
    pub(crate) async fn get(&self, key: &Key) -> Result<Option<Object>, BucketError> {
        match self.try_get(key).await {
            Ok(object) => Ok(Some(object)),
            Err(reply) => match meaning(Verb::Read, &reply) {
                Meaning::Absent => Ok(None),
                Meaning::Trouble(fault) => Err(reply.into_error(fault, Verb::Read, key)),
                // The table has no such meaning for a read; if it ever gets one, the read fails.
                Meaning::Refused | Meaning::Conflict | Meaning::Unknown => {
                    Err(reply.into_error(Fault::Unavailable, Verb::Read, key))
                }
            },
        }
    }

    async fn try_get(&self, key: &Key) -> Result<Object, Reply> {
        let watch = self.watch();
        let asked = self
            .client
            .get_object()
            .bucket(&self.name)
            .key(self.root.key(key))
            .customize()
            .interceptor(watch.clone());
        let whole = async {
            let sent = asked.send().await;
            let answer = sent.map_err(|error| Reply::of(&error, &watch))?;
            let Some(version) = answer.e_tag.map(Version::new) else {
                return Err(Reply::Lost("an answer without an ETag".to_owned()));
            };
            let body = body::whole(answer.body, answer.content_length).await?;
            Ok(Object { body, version })
        };
        self.in_time(&watch, whole).await
    }
}
