//! Changes of objects, reported by S3 itself or through EventBridge.

use serde_json::{Value, json};

use super::field::{must, number, text};
use super::key::decode;
use super::malformed::Malformed;

/// The kind of an object's change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Happened {
    /// A version was written: by put, post, copy, or a multipart upload.
    Created,
    /// The object or a version was deleted, or a delete marker was written.
    Deleted,
    /// Any other change: tags, restores, replication.
    Other,
}

/// The change of one object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectEvent {
    /// The bucket.
    pub bucket: String,
    /// The key itself, decoded once.
    pub key: String,
    /// The version, in a bucket with versioning.
    pub version_id: Option<String>,
    /// Orders the events of one key (compare as hexadecimal, padded at the right).
    pub sequencer: Option<String>,
    /// The size in bytes, if reported.
    pub size: Option<u64>,
    /// The entity tag, without quotes, if reported.
    pub etag: Option<String>,
    /// The name of the event: `ObjectCreated:Put`, or EventBridge's `Object Created`.
    pub event_name: String,
    /// The kind of the change.
    pub happened: Happened,
    /// The time, as it was reported.
    pub time: Option<String>,
    /// The region.
    pub region: Option<String>,
    /// The request that caused it, as EventBridge names it (`PutObject`), if reported.
    pub reason: Option<String>,
}

impl ObjectEvent {
    /// Whether a version of the object was written.
    #[must_use]
    pub fn created(&self) -> bool {
        self.happened == Happened::Created
    }

    /// Identifies this change of this object: by the version id, else by sequencer and entity tag.
    /// It is the same if the event is delivered twice, or by S3 and by EventBridge.
    #[must_use]
    pub fn identity(&self) -> String {
        let version = match (&self.version_id, &self.sequencer, &self.etag) {
            (Some(version), _, _) => version.clone(),
            // Some emulators have one sequencer for all events: the tag distinguishes contents.
            (None, Some(sequencer), Some(etag)) if self.created() => format!("{sequencer}-{etag}"),
            (None, Some(sequencer), _) => sequencer.clone(),
            (None, None, etag) => {
                let parts = [etag.as_deref(), self.time.as_deref()];
                let parts: Vec<&str> = parts.into_iter().flatten().collect();
                parts.join("-")
            }
        };
        let what = match self.happened {
            Happened::Created => "",
            Happened::Deleted => "deleted:",
            Happened::Other => self.event_name.as_str(),
        };
        format!("{what}{}/{}@{version}", self.bucket, self.key)
    }

    /// The event in EventBridge's form, in which rules process it. The key is not encoded.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let kind = match self.happened {
            Happened::Created => "Object Created",
            Happened::Deleted => "Object Deleted",
            Happened::Other => self.event_name.as_str(),
        };
        let mut event = json!({
            "source": "aws.s3",
            "detail-type": kind,
            "detail": {
                "bucket": {"name": self.bucket},
                "object": {"key": self.key},
            },
        });
        let mut set = |path: &[&str], value: Option<Value>| {
            let Some(value) = value else { return };
            let place = path
                .iter()
                .fold(&mut event, |place, name| &mut place[*name]);
            *place = value;
        };
        let text = |text: &Option<String>| text.clone().map(Value::String);
        set(&["time"], text(&self.time));
        set(&["region"], text(&self.region));
        set(&["detail", "reason"], text(&self.reason));
        let object = |name| ["detail", "object", name];
        set(&object("size"), self.size.map(Value::from));
        set(&object("etag"), text(&self.etag));
        set(&object("version-id"), text(&self.version_id));
        set(&object("sequencer"), text(&self.sequencer));
        event
    }

    /// Reads one record of an S3 notification, versions 2.0 and later.
    ///
    /// # Errors
    /// [`Malformed`]: it has no bucket, key or name, or its key is not form-encoded.
    pub fn from_record(record: &Value) -> Result<Self, Malformed> {
        Self::record(record).map_err(Malformed::new)
    }

    fn record(record: &Value) -> Result<Self, String> {
        if let Some(version) = text(record, &["eventVersion"]) {
            let major = version.split('.').next().unwrap_or_default();
            // Later versions add fields; a field that they removed is reported as missing below.
            if !major.parse::<u32>().is_ok_and(|major| major >= 2) {
                return Err(format!(
                    "its `eventVersion` is not 2.0 or later: eventVersion={version:?}"
                ));
            }
        }
        let event_name = must(record, &["eventName"])?;
        let key = must(record, &["s3", "object", "key"])?;
        // Some emulators send `s3:ObjectCreated:Put`, as in a bucket's configuration.
        let plain = event_name.strip_prefix("s3:").unwrap_or(&event_name);
        let (kind, how) = plain.split_once(':').unwrap_or((plain, ""));
        let happened = match kind {
            "ObjectCreated" => Happened::Created,
            "ObjectRemoved" | "LifecycleExpiration" => Happened::Deleted,
            _ => Happened::Other,
        };
        let reason = match (happened, how) {
            (Happened::Created, "Put") => Some("PutObject"),
            (Happened::Created, "Post") => Some("POST Object"),
            (Happened::Created, "Copy") => Some("CopyObject"),
            (Happened::Created, "CompleteMultipartUpload") => Some("CompleteMultipartUpload"),
            (Happened::Deleted, _) if kind == "LifecycleExpiration" => Some("Lifecycle Expiration"),
            (Happened::Deleted, _) => Some("DeleteObject"),
            _ => None,
        };
        let object = |name| text(record, &["s3", "object", name]);
        Ok(Self {
            bucket: must(record, &["s3", "bucket", "name"])?,
            key: decode(&key).map_err(|error| format!("{error}: key={key:?}"))?,
            version_id: object("versionId").filter(|version| version != "null"),
            sequencer: object("sequencer"),
            size: number(record, &["s3", "object", "size"]),
            etag: object("eTag").as_deref().map(unquoted),
            happened,
            time: text(record, &["eventTime"]),
            region: text(record, &["awsRegion"]),
            reason: reason.map(str::to_owned),
            event_name,
        })
    }

    /// Reads EventBridge's event of S3.
    pub(crate) fn from_envelope(event: &Value) -> Result<Self, Malformed> {
        Self::envelope(event).map_err(Malformed::new)
    }

    fn envelope(event: &Value) -> Result<Self, String> {
        let event_name = must(event, &["detail-type"])?;
        let object = |name| text(event, &["detail", "object", name]);
        Ok(Self {
            bucket: must(event, &["detail", "bucket", "name"])?,
            key: must(event, &["detail", "object", "key"])?,
            version_id: object("version-id").filter(|version| version != "null"),
            sequencer: object("sequencer"),
            size: number(event, &["detail", "object", "size"]),
            etag: object("etag").as_deref().map(unquoted),
            happened: match event_name.as_str() {
                "Object Created" => Happened::Created,
                "Object Deleted" => Happened::Deleted,
                _ => Happened::Other,
            },
            time: text(event, &["time"]),
            region: text(event, &["region"]),
            reason: text(event, &["detail", "reason"]),
            event_name,
        })
    }
}

fn unquoted(etag: &str) -> String {
    etag.trim_matches('"').to_owned()
}

/// Whether it is the test event that S3 sends when notifications are configured.
pub(crate) fn is_test(value: &Value) -> bool {
    text(value, &["Event"]).as_deref() == Some("s3:TestEvent")
}

/// The records of an S3 notification, if this is one.
pub(crate) fn objects(value: &Value) -> Option<Vec<Result<ObjectEvent, Malformed>>> {
    let records = value.get("Records")?.as_array()?;
    let s3 = |record: &Value| {
        let source = text(record, &["eventSource"]);
        record.get("s3").is_some() || source.is_some_and(|source| source.ends_with(":s3"))
    };
    let any = records.iter().any(s3);
    any.then(|| records.iter().map(ObjectEvent::from_record).collect())
}
