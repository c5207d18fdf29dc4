//! One body at a time.

use bytes::Bytes;

use super::{NEW, OLD, encrypted, key, keyring, long, pond};
use crate::codec::{NONCE, TooLarge, Undecoded};
use crate::{Codec, Keyring, KeyringError};

const N: [u8; NONCE] = [9; NONCE];

#[test]
fn every_codec_reads_what_it_wrote() {
    let at = key("x/00/a/head");
    let codecs = [
        Codec::new(),
        Codec::new().zstd(3),
        encrypted(OLD),
        encrypted(OLD).zstd(3),
    ];
    let bodies: [Bytes; 5] = [
        Bytes::new(),
        "{}".into(),
        long(),
        Bytes::from_static(b"\0MP1 it looks coded, and is not"),
        (0..=255_u8).cycle().take(10_000).collect::<Vec<_>>().into(),
    ];
    for codec in &codecs {
        for body in &bodies {
            let stored = codec.encode(&at, pond(), body.clone(), N).unwrap();
            assert_eq!(
                codec.decode(&at, pond(), &stored).as_ref(),
                Ok(body),
                "{codec:?}"
            );
        }
    }
}

#[test]
fn d18_a_body_of_another_pond_is_not_decrypted() {
    let (at, codec) = (key("x/00/a/head"), encrypted(OLD));
    let stored = codec.encode(&at, pond(), long(), N).unwrap();
    let other = Some("ffffffffffffffffffffffffffffffff".parse().unwrap());
    assert_eq!(codec.decode(&at, other, &stored), Err(Undecoded::Forged));
    assert_eq!(codec.decode(&at, None, &stored), Err(Undecoded::NoPond));
}

#[test]
fn compression_makes_a_head_smaller_and_anybody_reads_it() {
    let at = key("a");
    let stored = Codec::new().zstd(3).encode(&at, pond(), long(), N).unwrap();
    assert!(stored.len() * 10 < long().len(), "{}", stored.len());
    assert_eq!(Codec::new().decode(&at, pond(), &stored), Ok(long()));
}

#[test]
fn nothing_of_an_encrypted_body_is_in_the_open() {
    let stored = encrypted(OLD)
        .encode(&key("a"), pond(), "a secret of 24 characters".into(), N)
        .unwrap();
    let shows = |text: &[u8]| stored.windows(text.len()).any(|part| part == text);
    assert!(!shows(b"secret") && shows(b"old"), "only the key's id is");
}

#[test]
fn c1_any_byte_that_changed_is_noticed() {
    let at = key("a");
    let codec = encrypted(&format!("{OLD}{NEW}"));
    let stored = codec.encode(&at, pond(), long(), N).unwrap();
    for place in 0..stored.len() {
        let mut forged = stored.to_vec();
        forged[place] ^= 1;
        assert!(
            codec.decode(&at, pond(), &forged.into()).is_err(),
            "byte {place}"
        );
    }
    for length in 0..stored.len() {
        let cut = stored.slice(..length);
        assert!(codec.decode(&at, pond(), &cut).is_err(), "{length} bytes");
    }
}

#[test]
fn c1_an_object_under_another_key_is_not_read() {
    let codec = encrypted(OLD);
    let stored = codec.encode(&key("mail/a"), pond(), long(), N).unwrap();
    assert_eq!(
        codec.decode(&key("mail/b"), pond(), &stored),
        Err(Undecoded::Forged)
    );
}

#[test]
fn c2_plain_objects_are_read_only_if_the_keyring_allows_it() {
    let at = key("a");
    let small = Codec::new().zstd(3).encode(&at, pond(), long(), N).unwrap();
    for open in [long(), small] {
        assert_eq!(
            encrypted(OLD).decode(&at, pond(), &open),
            Err(Undecoded::Plain)
        );
        let on_the_way = encrypted(&format!("{OLD}plain\n"));
        assert_eq!(on_the_way.decode(&at, pond(), &open), Ok(long()));
    }
}

#[test]
fn a_rotated_ring_reads_the_old_and_writes_the_new() {
    let at = key("a");
    let before = encrypted(OLD).encode(&at, pond(), long(), N).unwrap();
    let rotated = encrypted(&format!("{NEW}{OLD}"));
    assert_eq!(rotated.decode(&at, pond(), &before), Ok(long()));
    let after = rotated.encode(&at, pond(), long(), N).unwrap();
    assert_eq!(encrypted(NEW).decode(&at, pond(), &after), Ok(long()));
    let missing = Undecoded::NoKey { id: "new".into() };
    assert_eq!(encrypted(OLD).decode(&at, pond(), &after), Err(missing));
    assert_eq!(
        Codec::new().decode(&at, pond(), &after),
        Err(Undecoded::NoKeyring)
    );
}

#[test]
fn a_body_that_would_fill_the_memory_is_refused() {
    let bomb = zstd::bulk::compress(&vec![0; (64 << 20) + 1], 3).unwrap();
    let stored = [b"\0MP1\x01".as_slice(), &bomb].concat();
    let decoded = Codec::new().decode(&key("a"), pond(), &stored.into());
    assert_eq!(decoded, Err(Undecoded::Incompressible));
}

#[test]
fn a_body_that_could_not_be_read_again_is_refused_before_the_write() {
    let largest = 64 << 20;
    for codec in [Codec::new(), Codec::new().zstd(1)] {
        let stored = codec.encode(&key("a"), pond(), vec![b'1'; largest].into(), N);
        let body = codec.decode(&key("a"), pond(), &stored.unwrap()).unwrap();
        assert_eq!(body.len(), largest);
        let over = codec.encode(&key("a"), pond(), vec![b'1'; largest + 1].into(), N);
        assert_eq!(over, Err(TooLarge { bytes: largest + 1 }));
    }
}

#[test]
fn a_keyring_that_is_no_good_is_refused_by_line_and_never_repeated() {
    let line = |text: &str| match Keyring::parse(text) {
        Err(error @ KeyringError::Line { line, .. }) => {
            assert!(!error.to_string().contains("hush"), "{error}");
            line
        }
        other => panic!("{text:?}: {other:?}"),
    };
    assert_eq!(line("hush"), 1);
    assert_eq!(line("# keys\n\nhush id = AAAA"), 3);
    assert_eq!(line("a = hush"), 1);
    assert_eq!(line("a = AAAA"), 1);
    assert_eq!(line(&format!("{OLD}{OLD}")), 2);
    assert_eq!(Keyring::parse("plain\n").err(), Some(KeyringError::Empty));
    let debug = format!("{:?}", keyring(&format!("{NEW}{OLD}plain")));
    assert!(debug.contains("new") && !debug.contains('7'), "{debug}");
}
