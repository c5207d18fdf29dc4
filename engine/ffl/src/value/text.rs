//! The text of a value: what `++` concatenates.

use std::io;

use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};

use super::{LimitError, MAX_VALUE, Value};

impl Value {
    /// The text that `++` takes of the value, and that a placeholder of a prompt is filled with: a
    /// string as it is, null as nothing, any other value as compact JSON with sorted keys.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Null => String::new(),
            Self::String(text) => text.to_string(),
            other => {
                let mut bytes = Vec::new();
                other.write(&mut bytes).expect("a vector takes any bytes");
                String::from_utf8(bytes).expect("JSON is UTF-8")
            }
        }
    }

    /// The value as compact JSON with sorted keys. A double always has its point.
    pub(super) fn write(&self, writer: &mut dyn io::Write) -> io::Result<()> {
        let mut serializer = Serializer::with_formatter(writer, Compact);
        self.serialize(&mut serializer).map_err(io::Error::from)
    }
}

/// Concatenates: a string as it is, null as nothing, any other value as compact JSON.
#[derive(Default)]
pub(super) struct Text(Vec<u8>);

impl Text {
    pub(super) fn push(&mut self, value: &Value) -> Result<(), LimitError> {
        let written = match value {
            Value::Null => Ok(()),
            Value::String(text) => io::Write::write_all(self, text.as_bytes()),
            other => other.write(self),
        };
        written.map_err(|_| LimitError::TooLarge)
    }

    pub(super) fn finish(self) -> Value {
        Value::from(String::from_utf8(self.0).expect("strings and JSON are UTF-8"))
    }
}

impl io::Write for Text {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > MAX_VALUE {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Compact JSON in which a double always has its point.
struct Compact;

impl Formatter for Compact {
    fn write_f64<W: ?Sized + io::Write>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        // The shortest text that denotes the same double; without a point if it has an exponent.
        let text = format!("{value:?}");
        match text.split_once('e') {
            Some((digits, exponent)) if !digits.contains('.') => {
                write!(writer, "{digits}.0e{exponent}")
            }
            _ => writer.write_all(text.as_bytes()),
        }
    }
}
