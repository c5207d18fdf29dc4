//! Encoded bodies are read back, and other bodies are rejected.

mod bucket;
mod codec;
mod pond;

use bytes::Bytes;
use millpond::keys::Key;

use crate::{Codec, Keyring, PondId};

/// Keys of 32 bytes: 0..32, and 32 times 7.
const OLD: &str = "old = AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n";
const NEW: &str = "new = BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=\n";

fn keyring(text: &str) -> Keyring {
    Keyring::parse(text).expect("a good keyring")
}

fn encrypted(text: &str) -> Codec {
    Codec::new().encrypted(keyring(text))
}

fn pond() -> Option<PondId> {
    Some(
        "00112233445566778899aabbccddeeff"
            .parse()
            .expect("32 hex digits"),
    )
}

fn key(text: &str) -> Key {
    Key::parse(text).expect("tests use good keys")
}

fn long() -> Bytes {
    r#"{"a":"the same again and again"}"#.repeat(100).into()
}
