//! Signatures of requests: HMAC-SHA256 over the body.

use std::fmt;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use jiff::Timestamp;
use sha2::Sha256;

use crate::events::Request;

/// How a signature is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// `sha256=` and 64 hexadecimal digits, in `X-Hub-Signature-256`.
    Github,
    /// `t=` and seconds, `v1=` and digits, over `{t}.{body}`, in `Stripe-Signature`. Old ones
    /// are refused.
    Stripe,
    /// 64 hexadecimal digits.
    Hex,
    /// Base64 of the 32 bytes.
    Base64,
}

impl Scheme {
    /// Every one, by its word in TOML.
    pub(crate) const ALL: &'static [(&'static str, Self)] = &[
        ("github", Self::Github),
        ("stripe", Self::Stripe),
        ("hex", Self::Hex),
        ("base64", Self::Base64),
    ];

    /// The header in which it stands, where there is one for all.
    pub(crate) fn header(self) -> Option<&'static str> {
        match self {
            Self::Github => Some("X-Hub-Signature-256"),
            Self::Stripe => Some("Stripe-Signature"),
            Self::Hex | Self::Base64 => None,
        }
    }
}

/// How requests of a rule prove who sent them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    pub(crate) scheme: Scheme,
    pub(crate) secret: String,
    pub(crate) header: Option<String>,
    pub(crate) tolerance: Duration,
}

/// Why a request is not known to come from whom it should.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SignatureError {
    /// It is not signed.
    #[error("it has no header {header}")]
    NoHeader {
        /// The header.
        header: String,
    },
    /// The header says something else.
    #[error("its header {header} is not {wants}")]
    Form {
        /// The header.
        header: String,
        /// What it should be.
        wants: &'static str,
    },
    /// It was signed long ago, or in a time to come.
    #[error("it was signed {seconds} s from now, over the tolerance of {most} s")]
    Stale {
        /// How far from now.
        seconds: u64,
        /// How far it may be.
        most: u64,
    },
    /// Somebody else signed it, or something else.
    #[error("its signature is not of this body and this secret")]
    Differs,
    /// The secret is not there.
    #[error("no secret is called {secret}")]
    NoSecret {
        /// Its name.
        secret: String,
    },
}

impl Signature {
    /// Of this scheme, with the secret of this name.
    pub fn new(scheme: Scheme, secret: impl Into<String>) -> Self {
        Self {
            scheme,
            secret: secret.into(),
            header: None,
            tolerance: Duration::from_secs(300),
        }
    }

    /// The header in which it stands. [`Scheme::Hex`] and [`Scheme::Base64`] have none of
    /// their own.
    #[must_use]
    pub fn header(mut self, header: impl Into<String>) -> Self {
        self.header = Some(header.into());
        self
    }

    /// How far from now it may have been signed ([`Scheme::Stripe`]; default 5 minutes).
    #[must_use]
    pub fn tolerance(mut self, tolerance: Duration) -> Self {
        self.tolerance = tolerance;
        self
    }

    /// Checks a request. Takes the same time wherever signatures differ.
    ///
    /// # Errors
    /// [`SignatureError`]: what is wrong, for the log, not for who sent it.
    pub fn verify(
        &self,
        request: &Request,
        secret: &[u8],
        now: Timestamp,
    ) -> Result<(), SignatureError> {
        let header = self.header.as_deref().or(self.scheme.header());
        let header = header.unwrap_or_default();
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
                let digits = value.strip_prefix("sha256=").and_then(hex);
                let mac = digits.ok_or_else(|| form("`sha256=` and 64 hexadecimal digits"))?;
                check(secret, &[&request.body], &[mac])
            }
            Scheme::Hex => {
                let mac = hex(value).ok_or_else(|| form("64 hexadecimal digits"))?;
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
                // After the signature: nobody else's time is worth a word.
                let at: i64 = time.parse().map_err(|_| form("`t=` and seconds"))?;
                let seconds = now.as_second().abs_diff(at);
                let most = self.tolerance.as_secs();
                if seconds > most {
                    return Err(SignatureError::Stale { seconds, most });
                }
                Ok(())
            }
        }
    }
}

/// Whether one of `macs` is that of the parts.
fn check(secret: &[u8], parts: &[&[u8]], macs: &[Vec<u8>]) -> Result<(), SignatureError> {
    let mac = Hmac::<Sha256>::new_from_slice(secret);
    let mut mac = mac.expect("an HMAC takes keys of any length");
    for part in parts {
        mac.update(part);
    }
    // In constant time each; senders that change their secret send several.
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

fn stripe(value: &str) -> Option<(&str, Vec<Vec<u8>>)> {
    let parts: Vec<(&str, &str)> = value
        .split(',')
        .map(|part| part.trim().split_once('='))
        .collect::<Option<_>>()?;
    let (_, time) = parts.iter().find(|(name, _)| *name == "t")?;
    let v1 = parts.iter().filter(|(name, _)| *name == "v1");
    let macs: Vec<Vec<u8>> = v1.map(|(_, digits)| hex(digits)).collect::<Option<_>>()?;
    (!macs.is_empty()).then_some((*time, macs))
}

fn hex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let (pairs, []) = text.as_bytes().as_chunks::<2>() else {
        return None;
    };
    let byte = |[a, b]: &[u8; 2]| u8::try_from(digit(*a)? * 16 + digit(*b)?).ok();
    pairs.iter().map(byte).collect()
}

impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = Self::ALL.iter().find(|(_, scheme)| scheme == self);
        f.write_str(found.map_or("", |(word, _)| word))
    }
}
