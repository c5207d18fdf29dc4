//! The size of JSON: the bytes of its canonical text, counted without writing it; and its nesting.

use std::io;

use serde_json::Value;

use crate::limits::{LimitExceeded, Limits, within};

/// Refuses a value that is nested too deeply, or larger than `most` bytes.
///
/// A loop that wraps a value in a list in each superstep makes it deeper with few bytes. JSON is
/// not read beyond 128 levels, and each level takes stack, so such a value could be written and
/// never be read again.
pub(crate) fn refuse_large(
    name: &'static str,
    value: &Value,
    most: usize,
    limits: &Limits,
) -> Result<(), LimitExceeded> {
    within("nesting", nesting(value, limits.nesting), limits.nesting)?;
    within(name, size(value), most)
}

/// Returns how deep lists and objects are nested, or `most + 1` if that is more than `most`.
fn nesting(value: &Value, most: usize) -> usize {
    let inner = |parts: &mut dyn Iterator<Item = &Value>| {
        if most == 0 {
            return 1;
        }
        1 + parts.map(|part| nesting(part, most - 1)).max().unwrap_or(0)
    };
    match value {
        Value::Array(list) => inner(&mut list.iter()),
        Value::Object(fields) => inner(&mut fields.values()),
        _ => 0,
    }
}

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
