//! Doorbells in one folder.

use std::fs;
use std::os::unix::net::UnixDatagram;
use std::path::Path;

use millpond::domain::{ExecutionId, Queue};
use millpond::keys::Key;
use millpond::ports::{Hint, Wakeups as _};
use millpond_testing::SeededEntropy;

use crate::{SocketDoorbell, beside};

fn hint(cause: &str) -> Hint {
    Hint {
        queue: Queue::default(),
        eid: ExecutionId::parse("00000000-0000-4000-8000-000000000001").expect("an id"),
        cause: Key::parse(cause).expect("a key"),
        at: None,
    }
}

fn receives(folder: &Path, seed: u64) -> SocketDoorbell {
    let bell = SocketDoorbell::new(folder.to_owned());
    bell.listen(&SeededEntropy::new(seed)).expect("a socket")
}

#[tokio::test]
async fn a_hint_rings_at_everybody_who_listens_and_at_home() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two) = (receives(folder.path(), 1), receives(folder.path(), 2));
    let sends = SocketDoorbell::new(folder.path().to_owned());
    let queues = [Queue::default()];
    sends.notify(hint("mail/a")).await;
    for bell in [&one, &two, &sends] {
        assert_eq!(bell.next(&queues).await, hint("mail/a"));
    }
    one.notify(hint("mail/b")).await;
    for bell in [&one, &two] {
        assert_eq!(bell.next(&queues).await, hint("mail/b"));
    }
    drop(two);
    let left = fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(left, 1, "its socket is gone with it");
}

#[tokio::test]
async fn a_socket_that_nobody_listens_at_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let dead = folder.path().join("1-dead.sock");
    drop(UnixDatagram::bind(&dead).unwrap());
    // A file that merely has the name of a socket belongs to another program.
    let file = folder.path().join("notes.sock");
    fs::write(&file, "notes").unwrap();
    assert!(dead.exists());
    let sends = SocketDoorbell::new(folder.path().to_owned());
    sends.notify(hint("mail/a")).await;
    assert!(!dead.exists() && file.exists());
}

#[tokio::test]
async fn what_is_no_hint_is_passed_by() {
    let folder = tempfile::tempdir().unwrap();
    let bell = receives(folder.path(), 1);
    let socket = fs::read_dir(folder.path()).unwrap().next().unwrap();
    let socket = socket.unwrap().path();
    let stranger = UnixDatagram::unbound().unwrap();
    for bytes in [b"".as_slice(), b"{}", &[0; 9_000], b"{\"queue\":\"../x\"}"] {
        let _sent = stranger.send_to(bytes, &socket);
    }
    let sends = SocketDoorbell::new(folder.path().to_owned());
    sends.notify(hint("mail/a")).await;
    assert_eq!(bell.next(&[Queue::default()]).await, hint("mail/a"));
}

#[test]
fn a_place_too_deep_for_a_socket_gets_a_short_one_that_all_find() {
    let near = beside(Path::new("/srv/pond.db"), "-bells");
    assert_eq!(near, Path::new("/srv/pond.db-bells"));
    let deep = format!("/{}/pond.db", "deep/".repeat(30));
    let (one, two) = (
        beside(Path::new(&deep), "-bells"),
        beside(Path::new(&deep), "-bells"),
    );
    assert_eq!(one, two);
    assert!(one.as_os_str().len() < 80 && one.starts_with(std::env::temp_dir()));
    let other = format!("{deep}2");
    assert_ne!(one, beside(Path::new(&other), "-bells"));
}
