//! Splits an object into lines.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::memory::{self, Budget};
use crate::events::parse;

/// How an object is split into lines, each of which starts or signals separately.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, strum::Display)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Each {
    /// CSV whose first line names the columns.
    CsvLines,
    /// One JSON value per line.
    JsonLines,
}

/// How an object is split, and its limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Split {
    pub(crate) each: Each,
    pub(crate) max_lines: usize,
    pub(crate) max_bytes: usize,
}

/// One line of an object.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Line {
    /// Its number in the object, from 1: part of the line's identity.
    pub(crate) number: u64,
    /// Its value, or why it is invalid.
    pub(crate) value: Result<Value, String>,
}

/// Why an object is not split at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SplitError {
    #[error(
        "the object exceeds the rule's `max_bytes`: split it or raise the limit: bytes={bytes}, max={max}"
    )]
    Bytes { bytes: usize, max: usize },
    #[error("the object exceeds the rule's `max_lines`: split it or raise the limit: max={max}")]
    Lines { max: usize },
    #[error(
        "the lines of the object need more memory than the function has for them: split the object, or raise the \
         memory of the function: line={line}, up_to_mib={needed}, max_mib={max}"
    )]
    Memory {
        /// The line with which they exceed it.
        line: u64,
        needed: usize,
        max: usize,
    },
    #[error("the object is not UTF-8 text: offset={at}")]
    Text { at: usize },
    #[error("invalid CSV: {why}: correct the file and upload it again: line={line}")]
    Quote { why: &'static str, line: usize },
    #[error("invalid first line of the CSV: it must name each column once: {why}")]
    Header { why: String },
}

impl Split {
    /// Splits an object. All lines are read before the first is handled, so an object that exceeds
    /// a limit, or whose lines could take more memory than `budget`, starts nothing. An invalid line counts
    /// as a line.
    ///
    /// # Errors
    /// [`SplitError`]: the object as a whole is invalid.
    pub(crate) fn lines(&self, bytes: &[u8], budget: Budget) -> Result<Vec<Line>, SplitError> {
        if bytes.len() > self.max_bytes {
            return Err(SplitError::Bytes {
                bytes: bytes.len(),
                max: self.max_bytes,
            });
        }
        let text = std::str::from_utf8(bytes).map_err(|error| SplitError::Text {
            at: error.valid_up_to(),
        })?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut taken = Taken {
            bytes: bytes.len(),
            budget,
        };
        let lines = match self.each {
            Each::CsvLines => self.csv(text, &mut taken)?,
            Each::JsonLines => self.json(text, &mut taken)?,
        };
        if lines.len() > self.max_lines {
            return Err(SplitError::Lines {
                max: self.max_lines,
            });
        }
        Ok(lines)
    }

    fn json(&self, text: &str, taken: &mut Taken) -> Result<Vec<Line>, SplitError> {
        let lines = text.split('\n');
        // A single carriage return ends a line as well; before a line feed it is part of that line
        // break.
        let lines = lines.flat_map(|line| line.strip_suffix('\r').unwrap_or(line).split('\r'));
        let lines = (1..).zip(lines);
        let lines = lines.filter(|(_, line)| !line.trim().is_empty());
        // One more than the limit detects an excess.
        let lines = lines.take(self.max_lines + 1);
        let lines = lines.map(|(number, line)| {
            taken.add(memory::json(line), number)?;
            let value = parse(line).map_err(|error| format!("invalid JSON: {error}"));
            Ok(Line { number, value })
        });
        lines.collect()
    }

    fn csv(&self, text: &str, taken: &mut Taken) -> Result<Vec<Line>, SplitError> {
        check_quotes(text)?;
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .from_reader(text.as_bytes());
        let mut records = reader.records();
        let header = |why: String| SplitError::Header { why };
        let Some(first) = records.next() else {
            return Ok(Vec::new());
        };
        let first = first.map_err(|error| header(error.to_string()))?;
        let names: Vec<&str> = first.iter().map(str::trim).collect();
        for (n, name) in names.iter().enumerate() {
            if name.is_empty() {
                return Err(header(format!("column {} has no name", n + 1)));
            }
            if names[..n].contains(name) {
                return Err(header(format!("two columns have the name {name:?}")));
            }
        }
        let mut counter = Counter {
            text,
            at: 0,
            line: 1,
        };
        let lines = records.take(self.max_lines + 1).map(|record| match record {
            Ok(record) => {
                let number = counter.line(record.position());
                taken.add(memory::row(&names, record.as_slice().len()), number)?;
                let value = row(&names, &record);
                Ok(Line { number, value })
            }
            Err(error) => Ok(Line {
                number: counter.line(error.position()),
                value: Err(error.to_string()),
            }),
        });
        lines.collect()
    }
}

/// The memory that the lines of an object take so far.
struct Taken {
    bytes: usize,
    budget: Budget,
}

impl Taken {
    fn add(&mut self, bytes: usize, line: u64) -> Result<(), SplitError> {
        self.bytes = self.bytes.saturating_add(bytes);
        let Budget(max) = self.budget;
        if self.bytes <= max {
            return Ok(());
        }
        Err(SplitError::Memory {
            line,
            needed: memory::mebibytes(self.bytes),
            max: max >> 20,
        })
    }
}

/// Rejects quotes that would hide rows: a quote that is never closed, and one that is closed inside
/// another row's field, with text after the closing quote. The reader accepts both, and reads all
/// rows between two quotes as one field.
fn check_quotes(text: &str) -> Result<(), SplitError> {
    enum State {
        FieldStart,
        Unquoted,
        Quoted,
        Closed,
    }
    let (mut state, mut opened) = (State::FieldStart, 0);
    let error = |why, at: usize| {
        let line = text[..at]
            .replace("\r\n", "\n")
            .matches(['\r', '\n'])
            .count()
            + 1;
        Err(SplitError::Quote { why, line })
    };
    for (at, byte) in text.bytes().enumerate() {
        state = match (state, byte) {
            (State::FieldStart, b'"') => {
                opened = at;
                State::Quoted
            }
            (State::Quoted, b'"') => State::Closed,
            // Two quotes in a quoted field are one quote of its text.
            (State::Closed, b'"') | (State::Quoted, _) => State::Quoted,
            (State::FieldStart | State::Unquoted | State::Closed, b',' | b'\r' | b'\n') => {
                State::FieldStart
            }
            (State::FieldStart | State::Unquoted, _) => State::Unquoted,
            (State::Closed, _) => return error("text follows a closing quote", at),
        };
    }
    match state {
        State::Quoted => error("a quote is never closed", opened),
        State::FieldStart | State::Unquoted | State::Closed => Ok(()),
    }
}

/// Counts lines up to a record. The reader's own line number lags after a two-byte line break.
struct Counter<'a> {
    text: &'a str,
    at: usize,
    line: u64,
}

impl Counter<'_> {
    fn line(&mut self, position: Option<&csv::Position>) -> u64 {
        let byte = position.map_or(0, csv::Position::byte);
        let from = usize::try_from(byte).unwrap_or(self.at);
        let bytes = self.text.as_bytes();
        let rest = bytes.get(from..).unwrap_or_default();
        // The position is that of the preceding line break and of empty lines.
        let blank = rest.iter().take_while(|byte| matches!(byte, b'\r' | b'\n'));
        let begin = from + blank.count();
        let passed = bytes.get(self.at..begin).unwrap_or_default();
        for (n, byte) in (self.at..).zip(passed) {
            // A single carriage return ends a line as well; before a line feed it is part of that
            // line break.
            let alone = *byte == b'\r' && bytes.get(n + 1) != Some(&b'\n');
            self.line += u64::from(alone || *byte == b'\n');
        }
        self.at = begin.max(self.at);
        self.line
    }
}

fn row(names: &[&str], record: &csv::StringRecord) -> Result<Value, String> {
    if record.len() != names.len() {
        return Err(format!(
            "it has {} fields, the first line names {} columns",
            record.len(),
            names.len()
        ));
    }
    let fields = names.iter().zip(record);
    let fields = fields.map(|(name, field)| ((*name).to_owned(), field.into()));
    Ok(Value::Object(fields.collect::<Map<_, _>>()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    type Numbered = (u64, Result<Value, String>);

    fn split(each: Each, text: &str) -> Result<Vec<Numbered>, SplitError> {
        let split = Split {
            each,
            max_lines: 3,
            max_bytes: 200,
        };
        let lines = split.lines(text.as_bytes(), Budget::NONE)?;
        Ok(lines.into_iter().map(|l| (l.number, l.value)).collect())
    }

    #[test]
    fn each_row_of_a_csv_is_an_object_of_its_columns() {
        let text = "\u{feff}id, note\r\n1,\"a, \"\"b\"\"\nc\"\r\n\r\n2,🦆\r\n";
        let rows = split(Each::CsvLines, text).unwrap();
        assert_eq!(
            rows,
            [
                (2, Ok(json!({"id": "1", "note": "a, \"b\"\nc"}))),
                (5, Ok(json!({"id": "2", "note": "🦆"}))),
            ]
        );
        assert_eq!(split(Each::CsvLines, ""), Ok(vec![]));
        assert_eq!(split(Each::CsvLines, "id,note\n"), Ok(vec![]));
    }

    #[test]
    fn an_invalid_row_is_reported_and_the_others_are_kept() {
        let rows = split(Each::CsvLines, "a,b\n1,2\n3\n4,5\n").unwrap();
        assert_eq!(rows[0], (2, Ok(json!({"a": "1", "b": "2"}))));
        assert_eq!(rows[1].0, 3);
        assert!(rows[1].1.as_ref().unwrap_err().contains("it has 1 fields"));
        assert_eq!(rows[2], (4, Ok(json!({"a": "4", "b": "5"}))));
        let rows = split(Each::JsonLines, "{\"a\":1}\n\nno\n[2]").unwrap();
        assert_eq!((rows[0].0, rows[1].0, rows[2].0), (1, 3, 4));
        assert!(rows[1].1.is_err());
        assert_eq!(rows[2].1, Ok(json!([2])));
    }

    #[test]
    fn an_object_over_the_limits_is_not_split_at_all() {
        let lines = SplitError::Lines { max: 3 };
        assert_eq!(split(Each::CsvLines, "a\n1\n2\n3\n4\n"), Err(lines.clone()));
        assert_eq!(split(Each::JsonLines, "1\n2\n3\n4\n"), Err(lines));
        assert!(split(Each::JsonLines, "1\n2\n3\n").is_ok());
        let bytes = SplitError::Bytes {
            bytes: 201,
            max: 200,
        };
        assert_eq!(split(Each::JsonLines, &" ".repeat(201)), Err(bytes));
    }

    /// Issue 14, item 20.
    #[test]
    fn a_carriage_return_alone_ends_a_line() {
        let rows = split(Each::CsvLines, "id,note\rA1,ok\rA2,\"a\rb\"\r\r\nA3,good\r").unwrap();
        let numbers: Vec<u64> = rows.iter().map(|(number, _)| *number).collect();
        assert_eq!(numbers, [2, 3, 6]);
        assert_eq!(rows[2].1, Ok(json!({"id": "A3", "note": "good"})));
        let rows = split(Each::JsonLines, "{\"a\":1}\r[2]\r\n3\r").unwrap();
        let wanted = [
            (1, Ok(json!({"a": 1}))),
            (2, Ok(json!([2]))),
            (3, Ok(json!(3))),
        ];
        assert_eq!(rows, wanted);
    }

    /// Issue 14, item 20.
    #[test]
    fn a_quote_that_swallows_rows_is_refused_with_its_line() {
        for (text, why, line) in [
            (
                "id,note\nA1,\"5 inch\nA2,fine\nA3,good\n",
                "never closed",
                2,
            ),
            (
                "id,note\rA0,x\r\nA1,\"5\"\" inch\nA2,fine",
                "never closed",
                3,
            ),
            (
                "id,note\nA1,\"5 inch\nA2,\"fine\nA3,good\n",
                "closing quote",
                3,
            ),
            ("\"id,note\nA1,fine\n", "never closed", 1),
        ] {
            let error = split(Each::CsvLines, text)
                .expect_err("rows would be lost")
                .to_string();
            assert!(
                error.contains(why) && error.contains(&format!("line={line}")),
                "{error}"
            );
        }
        let text = "id,note\nA1,5\" pipe\nA2,\"a \"\"b\"\"\nc\"\nA3,\"\"";
        let rows = split(Each::CsvLines, text).unwrap();
        assert_eq!(rows[0].1, Ok(json!({"id": "A1", "note": "5\" pipe"})));
        assert_eq!(rows[1].1, Ok(json!({"id": "A2", "note": "a \"b\"\nc"})));
        assert_eq!(rows[2], (5, Ok(json!({"id": "A3", "note": ""}))));
    }

    #[test]
    fn a_header_with_ambiguous_columns_is_refused() {
        for (text, why) in [("a,a\n1,2\n", "two columns"), ("a,\n1,2\n", "column 2 has")] {
            let error = split(Each::CsvLines, text).expect_err("a bad header");
            assert!(error.to_string().contains(why), "{error}");
        }
        let split = Split {
            each: Each::CsvLines,
            max_lines: 3,
            max_bytes: 200,
        };
        assert_eq!(
            split.lines(b"a\n\xff\n", Budget::NONE),
            Err(SplitError::Text { at: 2 })
        );
    }
}
