//! The bucket beside the commands: tests look into it, and break things in it.

use futures::executor::block_on;
use millpond::keys::{Key, Prefix};
use millpond::ports::{Bucket as _, Expect, Outcome};
use millpond_sqlite::{Durability, Options, SqliteBucket};

use crate::world::World;

pub(crate) struct Objects(SqliteBucket);

impl World {
    /// The objects of this world's bucket.
    pub(crate) fn objects(&self) -> Objects {
        let options = Options {
            durability: Durability::Relaxed,
            ..Options::default()
        };
        Objects(SqliteBucket::open(self.path("pond.db"), options).unwrap())
    }
}

impl Objects {
    /// All keys that begin with `prefix`.
    pub(crate) fn keys(&self, prefix: &str) -> Vec<String> {
        let prefix = Prefix::parse(prefix).unwrap();
        let page = block_on(self.0.list(&prefix, None, 1_000)).unwrap();
        assert!(page.next.is_none(), "one page holds them");
        page.entries.iter().map(|row| row.key.to_string()).collect()
    }

    /// The only key that begins with `prefix`.
    pub(crate) fn only(&self, prefix: &str) -> String {
        let mut found = self.keys(prefix);
        assert_eq!(found.len(), 1, "{found:?}");
        found.remove(0)
    }

    /// The stored bytes.
    pub(crate) fn body(&self, key: &str) -> Vec<u8> {
        let object = block_on(self.0.read(&Key::parse(key).unwrap())).unwrap();
        object.unwrap().body.into()
    }

    /// Writes `body`, whatever is there.
    pub(crate) fn put(&self, key: &str, body: &'static str) {
        let key = Key::parse(key).unwrap();
        let expect = match block_on(self.0.read(&key)).unwrap() {
            Some(object) => Expect::At(object.version),
            None => Expect::Absent,
        };
        let outcome = block_on(self.0.write(&key, body.into(), expect)).unwrap();
        assert!(matches!(outcome, Outcome::Landed(_)), "{outcome:?}");
    }

    pub(crate) fn remove(&self, key: &str) {
        block_on(self.0.delete(&Key::parse(key).unwrap())).unwrap();
    }
}
