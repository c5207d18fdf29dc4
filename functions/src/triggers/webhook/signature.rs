//! Signatures of requests: HMAC-SHA256 over the body.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use jiff::Timestamp;
use serde::Deserialize;
use sha2::Sha256;

use crate::events::Request;
use crate::triggers::error::Faults;

/// How many seconds the time of a signature may be from now, unless the rule specifies it.
const TOLERANCE: u64 = 300;

/// The scheme of a signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, strum::Display)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Scheme {
    /// `sha256=` and 64 hexadecimal digits, in `X-Hub-Signature-256`.
    Github,
    /// `t=` and seconds, `v1=` and digits, over `{t}.{body}`, in `Stripe-Signature`. Old
    /// signatures are refused.
    Stripe,
    /// 64 hexadecimal digits.
    Hex,
    /// Base64 of the 32 bytes.
    Base64,
}

impl Scheme {
    /// The header with the signature, if the scheme has one.
    fn header(self) -> Option<&'static str> {
        match self {
            Self::Github => Some("X-Hub-Signature-256"),
            Self::Stripe => Some("Stripe-Signature"),
            Self::Hex | Self::Base64 => None,
        }
    }
}

/// How requests are signed, as a rule declares it.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(in crate::triggers) struct SignatureFields {
    scheme: Option<Scheme>,
    secret: String,
    header: Option<String>,
    tolerance: Option<u64>,
}

/// Verifies the signatures of requests.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Verifier {
    pub(crate) scheme: Scheme,
    /// The name of the secret.
    pub(crate) secret: String,
    /// The header with the signature.
    pub(crate) header: String,
    /// How many seconds the time of a signature may be from now.
    pub(crate) tolerance: u64,
}

/// Why a request is not authentic.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SignatureError {
    /// The request is not signed.
    #[error("the request has no header {header}")]
    NoHeader {
        /// The header.
        header: String,
    },
    /// The header is malformed.
    #[error("the header {header} is malformed: expected {wants}")]
    Form {
        /// The header.
        header: String,
        /// The expected form.
        wants: &'static str,
    },
    /// The signature is too old, or from the future.
    #[error("the signature's time is too far from now: seconds={seconds}, max={max}")]
    Stale {
        /// The difference, in seconds.
        seconds: u64,
        /// The tolerance, in seconds.
        max: u64,
    },
    /// The signature was made with another secret, or for another body.
    #[error("the signature does not match the body and the secret")]
    Differs,
    /// The secret is missing.
    #[error("unknown secret {secret}: add it to MILLPOND_WEBHOOK_SECRETS")]
    NoSecret {
        /// The secret's name.
        secret: String,
    },
}

impl Verifier {
    /// Checks the fields of a signature.
    pub(in crate::triggers) fn new(fields: &SignatureFields, faults: &mut Faults) -> Option<Self> {
        let header = fields.header.clone();
        let header = header.or_else(|| Some(fields.scheme?.header()?.to_owned()));
        if fields.scheme.is_none() {
            faults.missing("signature.scheme", "github, stripe, hex or base64");
        } else if header.is_none() {
            faults.missing("signature.header", "the header with the signature");
        }
        if fields.secret.is_empty() {
            faults.missing("signature.secret", "the name of the secret");
        }
        let tolerance = fields.tolerance.unwrap_or(TOLERANCE);
        if tolerance == 0 && fields.scheme == Some(Scheme::Stripe) {
            faults.invalid("signature.tolerance", "it must be at least 1 second");
        }
        Some(Self {
            scheme: fields.scheme?,
            secret: fields.secret.clone(),
            header: header?,
            tolerance,
        })
    }

    /// Verifies a request. The time does not depend on where signatures differ.
    ///
    /// # Errors
    /// [`SignatureError`]: what is wrong, for the log, not for the sender.
    pub(crate) fn verify(
        &self,
        request: &Request,
        secret: &[u8],
        now: Timestamp,
    ) -> Result<(), SignatureError> {
        let header = &self.header;
        let value = request
            .header(header)
            .ok_or_else(|| SignatureError::NoHeader {
                header: header.to_owned(),
            })?;
        let form = |wants| SignatureError::Form {
            header: header.to_owned(),
            wants,
        };
        let value = value.trim();
        match self.scheme {
            Scheme::Github => {
                let digits = value
                    .strip_prefix("sha256=")
                    .and_then(|digits| hex::decode(digits).ok());
                let mac = digits.ok_or_else(|| form("`sha256=` and 64 hexadecimal digits"))?;
                check(secret, &[&request.body], &[mac])
            }
            Scheme::Hex => {
                let mac = hex::decode(value).map_err(|_| form("64 hexadecimal digits"))?;
                check(secret, &[&request.body], &[mac])
            }
            Scheme::Base64 => {
                let mac = STANDARD.decode(value).ok();
                let mac = mac.ok_or_else(|| form("base64"))?;
                check(secret, &[&request.body], &[mac])
            }
            Scheme::Stripe => {
                let (time, macs) =
                    stripe(value).ok_or_else(|| form("`t=` and seconds, then `v1=` and digits"))?;
                check(secret, &[time.as_bytes(), b".", &request.body], &macs)?;
                // After the signature: the time of another sender proves nothing.
                let at: i64 = time.parse().map_err(|_| form("`t=` and seconds"))?;
                let seconds = now.as_second().abs_diff(at);
                let max = self.tolerance;
                if seconds > max {
                    return Err(SignatureError::Stale { seconds, max });
                }
                Ok(())
            }
        }
    }
}

/// Checks that one of `macs` is that of the parts.
fn check(secret: &[u8], parts: &[&[u8]], macs: &[Vec<u8>]) -> Result<(), SignatureError> {
    let mac = Hmac::<Sha256>::new_from_slice(secret);
    let mut mac = mac.expect("an HMAC takes keys of any length");
    for part in parts {
        mac.update(part);
    }
    // Each in constant time; a sender that changes its secret sends several.
    let same = macs
        .iter()
        .filter(|given| mac.clone().verify_slice(given).is_ok())
        .count();
    if same > 0 {
        Ok(())
    } else {
        Err(SignatureError::Differs)
    }
}

/// The time and the signatures of Stripe's header. Elements that are malformed, or unknown, do not
/// count: a sender may add others.
fn stripe(value: &str) -> Option<(&str, Vec<Vec<u8>>)> {
    let elements = value.split(',');
    let elements = elements.filter_map(|element| element.trim().split_once('='));
    let all: Vec<(&str, &str)> = elements.collect();
    let (_, time) = all.iter().find(|(name, _)| *name == "t")?;
    let v1 = all.iter().filter(|(name, _)| *name == "v1");
    let macs: Vec<Vec<u8>> = v1
        .filter_map(|(_, digits)| hex::decode(digits).ok())
        .collect();
    (!macs.is_empty()).then_some((*time, macs))
}
