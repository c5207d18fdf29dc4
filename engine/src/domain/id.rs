//! The ids of executions and frames, and digests.

use std::fmt;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use super::{FrameName, InvalidName, Text};

/// The namespaces of derived ids. Each kind of id has its own, and the parts of a hash follow their
/// lengths, so no text that a caller chooses yields an id of another kind.
#[derive(Debug, Clone, Copy)]
pub(super) enum Namespace {
    /// The executions of a start key.
    StartKey,
    /// Children.
    Child,
    /// Keyed messages.
    Message,
}

impl Namespace {
    const fn uuid(self) -> Uuid {
        Uuid::from_u128(match self {
            Self::StartKey => 0x6d69_6c6c_706f_6e64_8a11_5f0c_9d3e_77a1,
            Self::Child => 0x0b6e_21f4_93c7_4d58_9a40_c1d2_7e85_36bf,
            Self::Message => 0xd4f7_905c_1e2a_4b93_8c6d_5a0e_f183_9724,
        })
    }

    /// Returns the UUID (version 5) of `parts` in this namespace.
    pub(super) fn id(self, parts: &[&[u8]]) -> Uuid {
        let mut bytes = Vec::new();
        for part in parts {
            bytes.extend((part.len() as u64).to_be_bytes());
            bytes.extend(*part);
        }
        Uuid::new_v5(&self.uuid(), &bytes)
    }
}

/// The id of an execution: `UUIDv7` for a plain start, a hash of (key, n) for a keyed one, and of
/// (parent, generation, frame) for a child. Canonical text everywhere.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExecutionId(Uuid);

impl ExecutionId {
    /// Wraps a UUID.
    #[must_use]
    pub const fn new(uuid: Uuid) -> Self {
        Self(uuid)
    }

    /// Derives the id of the execution `n` of a start key: 0 for the first, and one more each time
    /// the key was free again.
    #[must_use]
    pub fn keyed(key: &Text, n: u32) -> Self {
        let parts: [&[u8]; 2] = [key.as_str().as_bytes(), &n.to_be_bytes()];
        Self(Namespace::StartKey.id(&parts))
    }

    /// Derives the id of the child that `frame` of this execution starts in `generation`.
    #[must_use]
    pub fn child(&self, generation: u32, frame: &FrameId) -> Self {
        let parts: [&[u8]; 3] = [
            self.0.as_bytes(),
            &generation.to_be_bytes(),
            frame.as_str().as_bytes(),
        ];
        Self(Namespace::Child.id(&parts))
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

    /// Returns the last 16 hex digits, which name the sender in the ids of its messages.
    #[must_use]
    pub(crate) fn hex16(&self) -> String {
        self.0.simple().to_string().split_off(16)
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

    /// Parses the id of a frame.
    ///
    /// # Errors
    /// [`InvalidName`] if it is not `root`, or below it, or is longer than 4 KiB.
    pub fn parse(text: &str) -> Result<Self, InvalidName> {
        let mut parts = text.split('/');
        let good = |part: &str| !part.is_empty() && part.chars().all(|c| !c.is_control());
        match text.len() <= 4 << 10 && parts.next() == Some("root") && parts.all(good) {
            true => Ok(Self(text.into())),
            false => Err(InvalidName::new(
                "frame id",
                "`root/name#0` or `root/name:key`",
                text,
            )),
        }
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
