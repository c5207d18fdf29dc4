//! The ids of executions, frames and messages, and digests.

use std::fmt;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use super::{FrameName, InvalidName, Text};

/// The namespace of keyed executions: `UUIDv5` of the dispatch key under it.
const NAMESPACE: Uuid = Uuid::from_u128(0x6d69_6c6c_706f_6e64_8a11_5f0c_9d3e_77a1);

/// The id of an execution: `UUIDv7` for a plain start, `UUIDv5` of the key for a keyed one,
/// `UUIDv5` of `{parent}/{fid}` for a child. Canonical text everywhere.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExecutionId(Uuid);

impl ExecutionId {
    /// Wraps a UUID.
    #[must_use]
    pub const fn new(uuid: Uuid) -> Self {
        Self(uuid)
    }

    /// Derives the execution id of a dispatch key.
    #[must_use]
    pub fn keyed(key: &Text) -> Self {
        Self(Uuid::new_v5(&NAMESPACE, key.as_str().as_bytes()))
    }

    /// Derives the id of the child that `frame` of this execution starts.
    #[must_use]
    pub fn child(&self, frame: &FrameId) -> Self {
        Self(Uuid::new_v5(
            &NAMESPACE,
            format!("{self}/{frame}").as_bytes(),
        ))
    }

    /// Parses canonical (hyphenated, lower-case) text.
    ///
    /// # Errors
    /// [`InvalidName`] for any other text, including other spellings of a UUID.
    pub fn parse(text: &str) -> Result<Self, InvalidName> {
        let invalid = || InvalidName::new("execution id", "a canonical uuid", text);
        let eid = Self(Uuid::try_parse(text).map_err(|_| invalid())?);
        if eid.to_string() == text {
            Ok(eid)
        } else {
            Err(invalid())
        }
    }

    /// Returns the UUID.
    #[must_use]
    pub const fn uuid(&self) -> Uuid {
        self.0
    }

    /// Returns the last two hex digits, which spread time-ordered ids over 256 prefixes.
    #[must_use]
    pub fn shard(&self) -> String {
        format!("{:02x}", self.0.as_bytes()[15])
    }
}

impl fmt::Display for ExecutionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.hyphenated().fmt(f)
    }
}

impl fmt::Debug for ExecutionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::str::FromStr for ExecutionId {
    type Err = InvalidName;
    fn from_str(text: &str) -> Result<Self, InvalidName> {
        Self::parse(text)
    }
}

impl serde::Serialize for ExecutionId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for ExecutionId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        Self::parse(&text).map_err(serde::de::Error::custom)
    }
}

/// A workflow may take ids, so its input needs a schema.
impl schemars::JsonSchema for ExecutionId {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "ExecutionId".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"type": "string", "format": "uuid"})
    }
}

/// The id of a frame: `root`, then `parent/name#n` or `parent/name:key`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct FrameId(Arc<str>);

impl FrameId {
    /// Returns the id of the workflow's root frame.
    #[must_use]
    pub fn root() -> Self {
        Self("root".into())
    }

    /// Returns the scope `name` below this frame.
    #[must_use]
    pub fn scope(&self, name: &FrameName) -> Self {
        Self(format!("{}/{name}", self.0).into())
    }

    /// Returns the `n`th frame named `name` below this one, in call order.
    #[must_use]
    pub fn nth(&self, name: &FrameName, n: u32) -> Self {
        Self(format!("{}/{name}#{n}", self.0).into())
    }

    /// Returns the frame named `name` with `key` below this one.
    #[must_use]
    pub fn keyed(&self, name: &FrameName, key: &FrameName) -> Self {
        Self(format!("{}/{name}:{key}", self.0).into())
    }

    /// Returns the text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the name of the frame without parent, count and key.
    #[must_use]
    pub fn name(&self) -> &str {
        let last = self.0.rsplit('/').next().unwrap_or(&self.0);
        last.split(['#', ':']).next().unwrap_or(last)
    }

    /// Returns the ids of the enclosing frames, outermost first.
    #[must_use]
    pub fn above(&self) -> Vec<Self> {
        let slashes = self.0.match_indices('/');
        slashes
            .map(|(at, _)| Self(self.0.get(..at).unwrap_or_default().into()))
            .collect()
    }

    /// Returns the form of a frame id that keys and message ids contain.
    #[must_use]
    pub fn hash(&self) -> FrameHash {
        FrameHash(hex(&Sha256::digest(self.0.as_bytes())[..8]).into())
    }
}

impl fmt::Display for FrameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for FrameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The first 16 hex digits of sha256(fid). A frame id contains `/#:`, which a key must not.
#[derive(
    Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(transparent)]
pub struct FrameHash(Arc<str>);

impl fmt::Display for FrameHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The id of a message, which makes delivery exactly-once (docs/protocol.md, Mail).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct MessageId(Arc<str>);

impl MessageId {
    /// Returns the id of the mail that starts an execution.
    #[must_use]
    pub fn start() -> Self {
        Self("start".into())
    }

    /// Returns the id of the result of the child that `frame` started.
    #[must_use]
    pub fn child(frame: &FrameHash) -> Self {
        Self(format!("child.{frame}").into())
    }

    /// Returns the id of a message under the caller's idempotency key.
    #[must_use]
    pub fn keyed(channel: &str, key: &Text) -> Self {
        Self(
            format!(
                "msg.{}",
                Digest::of(format!("{channel}\n{key}").as_bytes()).short()
            )
            .into(),
        )
    }

    /// Returns the id of a message without a key, under a fresh id.
    #[must_use]
    pub fn message(id: Uuid) -> Self {
        Self(format!("msg.{}", id.hyphenated()).into())
    }

    /// Returns the id of the message that `frame` of `eid` sends.
    #[must_use]
    pub fn sent(eid: &ExecutionId, frame: &FrameId) -> Self {
        Self(
            format!(
                "msg.{}",
                Digest::of(format!("{eid}\n{frame}").as_bytes()).short()
            )
            .into(),
        )
    }

    /// Returns the id of an operator's command.
    #[must_use]
    pub fn control(id: Uuid) -> Self {
        Self(format!("ctl.{}", id.hyphenated()).into())
    }

    /// Returns the id of the command that `from` sends to one of its own children.
    #[must_use]
    pub fn close(from: &ExecutionId) -> Self {
        Self(format!("ctl.close.{from}").into())
    }

    /// Returns the id of the message that continues a run which used up its time at `commit`.
    #[must_use]
    pub fn slice(commit: u64) -> Self {
        Self(format!("slice.{commit}").into())
    }

    /// Checks the text of a message id in a key.
    ///
    /// # Errors
    /// [`InvalidName`] if it cannot be one component of a key.
    pub fn parse(text: &str) -> Result<Self, InvalidName> {
        let rule = "`[A-Za-z0-9._-]{1,200}`";
        let good = (1..=200).contains(&text.len())
            && !matches!(text, "." | "..")
            && text
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'));
        if good {
            Ok(Self(text.into()))
        } else {
            Err(InvalidName::new("message id", rule, text))
        }
    }

    /// Returns the text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A SHA-256 digest as 64 hex digits.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(transparent)]
pub struct Digest(Arc<str>);

impl Digest {
    /// Computes the digest of `bytes`.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(hex(&Sha256::digest(bytes)).into())
    }

    /// Returns all 64 digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the first 32 digits, for uses in which a collision has no value to an attacker.
    #[must_use]
    pub fn short(&self) -> &str {
        self.0.get(..32).unwrap_or(&self.0)
    }

    /// Returns the first 16 digits.
    #[must_use]
    pub fn sha16(&self) -> &str {
        self.0.get(..16).unwrap_or(&self.0)
    }
}

/// A digest becomes part of a key, so only valid digests are deserialized.
impl<'de> serde::Deserialize<'de> for Digest {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        let good = |b: u8| matches!(b, b'0'..=b'9' | b'a'..=b'f');
        if text.len() == 64 && text.bytes().all(good) {
            Ok(Self(text.into()))
        } else {
            Err(serde::de::Error::custom("a digest is 64 hex digits"))
        }
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.sha16())
    }
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes
        .iter()
        .fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
            let _ = write!(text, "{byte:02x}"); // writing to a String cannot fail
            text
        })
}
