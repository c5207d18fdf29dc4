//! The randomness port.

use std::fmt;

use uuid::Uuid;

/// Random bytes for ids, nonces, jitter and the draws of workflows.
pub trait Entropy: fmt::Debug + Send + Sync + 'static {
    /// Fills `bytes` with random bytes.
    fn fill(&self, bytes: &mut [u8]);
}

impl dyn Entropy {
    /// Returns a random `u64`.
    pub fn u64(&self) -> u64 {
        let mut bytes = [0; 8];
        self.fill(&mut bytes);
        u64::from_le_bytes(bytes)
    }

    /// Returns a random number in `[0, 1)`, with all 53 bits of precision.
    #[expect(clippy::cast_precision_loss, reason = "the top 53 bits fit exactly")]
    pub fn unit(&self) -> f64 {
        (self.u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Returns a time-ordered `UUIDv7` for the instant `now`.
    pub(crate) fn uuid7(&self, now: jiff::Timestamp) -> Uuid {
        let mut random = [0; 10];
        self.fill(&mut random);
        let millis = u64::try_from(now.as_millisecond()).unwrap_or_default();
        uuid::Builder::from_unix_timestamp_millis(millis, &random).into_uuid()
    }

    /// Returns a random `UUIDv4`.
    pub fn uuid4(&self) -> Uuid {
        let mut bytes = [0; 16];
        self.fill(&mut bytes);
        uuid::Builder::from_random_bytes(bytes).into_uuid()
    }

    /// Returns a short random text for nonces: 16 hex digits.
    pub fn nonce(&self) -> String {
        format!("{:016x}", self.u64())
    }
}
