//! What happened to an object, whichever way it was told.

use serde_json::{Value, json};

use super::event::Malformed;
use super::field::{must, number, text};
use super::key::decode;

/// What happened to an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Happened {
    /// A version of it was written: put, posted, copied, or completed in parts.
    Created,
    /// It, or a version of it, was deleted, or a delete marker written.
    Deleted,
    /// Anything else: tags, restores, replication.
    Other,
}

/// Something that happened to one object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectEvent {
    /// The bucket.
    pub bucket: String,
    /// The key itself, decoded once.
    pub key: String,
    /// The version, in a bucket that keeps versions.
    pub version_id: Option<String>,
    /// Orders the events of one key (compare as hexadecimal, padded at the right).
    pub sequencer: Option<String>,
    /// Bytes, where told.
    pub size: Option<u64>,
    /// The entity tag, without quotes, where told.
    pub etag: Option<String>,
    /// The name as it came: `ObjectCreated:Put`, or EventBridge's `Object Created`.
    pub event_name: String,
    /// What it says.
    pub happened: Happened,
    /// When, as it came.
    pub time: Option<String>,
    /// Where.
    pub region: Option<String>,
    /// The request behind it, as EventBridge names it (`PutObject`), where told.
    pub reason: Option<String>,
}

impl ObjectEvent {
    /// Whether a version of the object was written.
    #[must_use]
    pub fn created(&self) -> bool {
        self.happened == Happened::Created
    }

    /// What tells this version of this object from all others: the version id, else
    /// sequencer and entity tag. Events that come twice, or both ways, have the same.
    #[must_use]
    pub fn identity(&self) -> String {
        let version = match (&self.version_id, &self.sequencer, &self.etag) {
            (Some(version), _, _) => version.clone(),
            // Some emulators send one sequencer for all: the tag tells contents apart.
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

    /// The event in EventBridge's form, in which rules see it however it came. The key is not
    /// encoded.
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
    /// [`Malformed`]: it has no bucket, key or name, or its key is not encoded as it must be.
    pub fn from_record(record: &Value) -> Result<Self, Malformed> {
        Self::record(record).map_err(Malformed::new)
    }

    fn record(record: &Value) -> Result<Self, String> {
        if let Some(version) = text(record, &["eventVersion"]) {
            let major = version.split('.').next().unwrap_or_default();
            // Later ones add fields; what they would take away is found missing below.
            if !major.parse::<u32>().is_ok_and(|major| major >= 2) {
                return Err(format!(
                    "its `eventVersion` is not 2.0 or later: {version:?}"
                ));
            }
        }
        let event_name = must(record, &["eventName"])?;
        let key = must(record, &["s3", "object", "key"])?;
        // Some emulators write `s3:ObjectCreated:Put`, as in a bucket's configuration.
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
            key: decode(&key).map_err(|error| format!("{error}: {key:?}"))?,
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
