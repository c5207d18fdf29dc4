//! The size of JSON: the bytes of its canonical text, counted without writing it.

use std::io;

use serde_json::Value;

/// Returns the size of a value in bytes of canonical JSON.
#[must_use]
pub fn size(value: &Value) -> usize {
    let mut counter = Counter(0);
    serde_json::to_writer(&mut counter, value)
        .expect("JSON is written to a counter without errors");
    counter.0
}

struct Counter(usize);

impl io::Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
