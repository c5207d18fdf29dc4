//! A real store beside the bucket in memory, for the engine's own tests.
//!
//! If `MILLPOND_TEST_MIRROR` names an address, every request to a bucket in memory is also one to
//! the store behind that address (`tests/mirror` serves it, `localstack/engine` starts both), each
//! bucket in its own folder, one request at a time. Both responses must be equal: the body, whether
//! a write landed, the keys of a page, their order and sizes, and whether more follow. Therefore
//! the result of each test also holds for the store's responses, and the store behaves like memory
//! for every request of the tests.
//!
//! A version is memory's with the store's beside it. A store may assign one version to equal bytes
//! (an `ETag` is a digest), memory never does: a compare-and-swap that lands for this reason only
//! is a difference, too. `modified` is always memory's, because a test cannot set a store's clock.
//!
//! A difference panics with the request and both responses, and again when the bucket is dropped:
//! even if other code catches the first panic, the test fails.

use std::cell::OnceCell;
use std::io::{self, Read as _, Write as _};
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::keys::{Key, Prefix};
use crate::ports::{Expect, Object, Page, Version};

const VARIABLE: &str = "MILLPOND_TEST_MIRROR";
/// Longer than the server's limit for one request, so that the server can report the reason for a
/// failure.
const PATIENCE: Duration = Duration::from_secs(60);
/// The size of the part of a body that is printed for a difference.
const SHOWN: usize = 300;

#[derive(Debug)]
pub(crate) struct Mirror {
    stream: TcpStream,
    failed: OnceCell<String>,
}

/// The store's name of a version.
#[derive(Debug)]
pub(crate) struct Named(String);

impl Named {
    /// Combines the versions of memory and of the store.
    pub(crate) fn beside(&self, memory: &Version) -> Version {
        Version::new(format!("{} {}", memory.as_str(), self.0))
    }
}

/// The store's part. A version invented by a test has one part, which no store has.
fn named(version: &Version) -> &str {
    let text = version.as_str();
    text.split_once(' ').map_or(text, |(_, store)| store)
}

/// A request. The same as `Ask` in `tests/mirror/src/wire.rs`.
#[derive(Debug, Serialize)]
#[serde(tag = "verb", rename_all = "lowercase")]
enum Ask<'a> {
    Hello {
        test: &'a str,
    },
    Read {
        key: &'a Key,
    },
    Write {
        key: &'a Key,
        expect: Option<&'a str>,
    },
    Delete {
        key: &'a Key,
    },
    List {
        prefix: &'a str,
        after: Option<&'a Key>,
        limit: usize,
    },
}

/// The response of the store.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "answer", rename_all = "lowercase", deny_unknown_fields)]
enum Answer {
    Object {
        version: String,
    },
    Absent,
    Landed {
        version: String,
    },
    Refused,
    Unknown,
    Deleted,
    Page {
        keys: Vec<(String, u64)>,
        more: bool,
    },
    Failed {
        why: String,
    },
}

impl Mirror {
    /// The store that the environment names, if any.
    ///
    /// # Panics
    /// If no server listens at that address.
    #[expect(
        clippy::disallowed_methods,
        reason = "a setting of the tests' own, which no test passes on"
    )]
    pub(crate) fn of_environment() -> Option<Self> {
        let address = std::env::var(VARIABLE).ok()?;
        Some(Self::connect(&address))
    }

    /// Connects to the server.
    ///
    /// # Panics
    /// If no server listens at that address.
    pub(crate) fn connect(address: &str) -> Self {
        let stream = open(address).unwrap_or_else(|error| {
            panic!("no store at {VARIABLE}={address}, which localstack/engine sets: {error}")
        });
        let mirror = Self {
            stream,
            failed: OnceCell::new(),
        };
        let test = thread::current().name().unwrap_or("a thread").to_owned();
        let hello = Ask::Hello { test: &test };
        if let Err(error) = mirror.send(&hello, &[]) {
            mirror.fail(format!("{hello:?} was not received: {error}"));
        }
        mirror
    }

    pub(crate) fn read(&self, key: &Key, memory: Option<&Object>) {
        let expected = match memory {
            None => (Answer::Absent, Bytes::new()),
            Some(object) => {
                let version = named(&object.version).to_owned();
                (Answer::Object { version }, object.body.clone())
            }
        };
        let _ = self.same(&Ask::Read { key }, &[], &expected);
    }

    /// The store's new version, if the write lands in memory.
    pub(crate) fn write(
        &self,
        key: &Key,
        body: &[u8],
        expect: &Expect,
        met: bool,
    ) -> Option<Named> {
        let expect = match expect {
            Expect::Absent => None,
            Expect::At(version) => Some(named(version)),
        };
        let ask = Ask::Write { key, expect };
        if !met {
            let _ = self.same(&ask, body, &(Answer::Refused, Bytes::new()));
            return None;
        }
        // Memory cannot predict the store's version.
        let any = Answer::Landed {
            version: "any".to_owned(),
        };
        match self.same(&ask, body, &(any, Bytes::new())) {
            Answer::Landed { version } => Some(Named(version)),
            _ => None,
        }
    }

    pub(crate) fn delete(&self, key: &Key) {
        let _ = self.same(&Ask::Delete { key }, &[], &(Answer::Deleted, Bytes::new()));
    }

    pub(crate) fn list(&self, prefix: &Prefix, after: Option<&Key>, limit: usize, memory: &Page) {
        let prefix = prefix.as_str();
        let ask = Ask::List {
            prefix,
            after,
            limit,
        };
        let rows = memory.entries.iter();
        let keys = rows
            .map(|entry| (entry.key.to_string(), entry.size))
            .collect();
        let more = memory.next.is_some();
        let _ = self.same(&ask, &[], &(Answer::Page { keys, more }, Bytes::new()));
    }

    /// The store's response, if it equals memory's.
    fn same(&self, ask: &Ask<'_>, body: &[u8], memory: &(Answer, Bytes)) -> Answer {
        if let Some(failed) = self.failed.get() {
            panic!("{failed}");
        }
        let received = self.send(ask, body).and_then(|()| self.receive());
        let store = match received {
            Ok(store) => store,
            Err(error) => self.fail(format!("{ask:?} got no answer of the store: {error}")),
        };
        let landed = |answer: &Answer| matches!(answer, Answer::Landed { .. });
        if store != *memory && !(landed(&store.0) && landed(&memory.0)) {
            self.fail(format!(
                "the store answers {ask:?} unlike memory: store={} memory={}",
                shown(&store),
                shown(memory)
            ));
        }
        store.0
    }

    fn send(&self, ask: &Ask<'_>, body: &[u8]) -> io::Result<()> {
        let header = serde_json::to_vec(ask)?;
        let mut frame = Vec::with_capacity(8 + header.len() + body.len());
        for part in [header.as_slice(), body] {
            let length = u32::try_from(part.len()).map_err(io::Error::other)?;
            frame.extend(length.to_be_bytes());
        }
        frame.extend(header);
        frame.extend(body);
        (&self.stream).write_all(&frame)
    }

    fn receive(&self) -> io::Result<(Answer, Bytes)> {
        let mut lengths = [0; 8];
        (&self.stream).read_exact(&mut lengths)?;
        let [a, b, c, d, body @ ..] = lengths;
        let header = self.take(u32::from_be_bytes([a, b, c, d]))?;
        let body = self.take(u32::from_be_bytes(body))?;
        Ok((serde_json::from_slice(&header)?, body.into()))
    }

    fn take(&self, length: u32) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        (&self.stream)
            .take(u64::from(length))
            .read_to_end(&mut bytes)?;
        match bytes.len() == length as usize {
            true => Ok(bytes),
            false => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }

    fn fail(&self, why: String) -> ! {
        let why = self.failed.get_or_init(|| why);
        panic!("{why}")
    }
}

/// Panics again, because a caller may have caught the first panic as the workflow's own.
impl Drop for Mirror {
    fn drop(&mut self) {
        if let Some(failed) = self.failed.get()
            && !thread::panicking()
        {
            panic!("{failed}");
        }
    }
}

fn open(address: &str) -> io::Result<TcpStream> {
    let stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    Ok(stream)
}

fn shown((answer, body): &(Answer, Bytes)) -> String {
    let start = body.get(..SHOWN).unwrap_or(body);
    let start = String::from_utf8_lossy(start);
    format!("{answer:?} body={} bytes {start:?}", body.len())
}
