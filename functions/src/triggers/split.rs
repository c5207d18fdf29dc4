//! An object cut into lines.

use serde_json::{Map, Value};

use super::source::Each;

/// How an object is cut, and what it may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Split {
    pub(crate) each: Each,
    pub(crate) max_lines: usize,
    pub(crate) max_bytes: usize,
}

/// One line of an object.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Line {
    /// Its number in the object, from 1; with the object's identity the line's own.
    pub(crate) number: u64,
    /// Its value; or why it has none.
    pub(crate) value: Result<Value, String>,
}

/// An object that is not cut at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SplitError {
    #[error("the object is over the rule's `max_bytes`: bytes={bytes}, most={most}")]
    Bytes { bytes: usize, most: usize },
    #[error("the object has more lines than the rule's `max_lines`: most={most}")]
    Lines { most: usize },
    #[error("the object is not UTF-8 text: first other byte at {at}")]
    Text { at: usize },
    #[error("the first line of the CSV does not name each column once: {why}")]
    Header { why: String },
}

impl Split {
    /// Cuts an object. Everything is read before anything follows from it, so an object over
    /// the limits starts nothing. A line that is no good is one of the lines.
    ///
    /// # Errors
    /// [`SplitError`]: the object as a whole is no good.
    pub(crate) fn lines(&self, bytes: &[u8]) -> Result<Vec<Line>, SplitError> {
        if bytes.len() > self.max_bytes {
            return Err(SplitError::Bytes {
                bytes: bytes.len(),
                most: self.max_bytes,
            });
        }
        let text = std::str::from_utf8(bytes).map_err(|error| SplitError::Text {
            at: error.valid_up_to(),
        })?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let lines = match self.each {
            Each::CsvLines => self.csv(text)?,
            Each::JsonLines => self.json(text),
        };
        if lines.len() > self.max_lines {
            return Err(SplitError::Lines {
                most: self.max_lines,
            });
        }
        Ok(lines)
    }

    fn json(&self, text: &str) -> Vec<Line> {
        let lines = (1..).zip(text.lines());
        let lines = lines.filter(|(_, line)| !line.trim().is_empty());
        // One more than may be: enough to see that it is too much.
        let lines = lines.take(self.max_lines + 1);
        lines
            .map(|(number, line)| Line {
                number,
                value: serde_json::from_str(line).map_err(|error| format!("no JSON: {error}")),
            })
            .collect()
    }

    fn csv(&self, text: &str) -> Result<Vec<Line>, SplitError> {
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
                return Err(header(format!("two columns are called {name:?}")));
            }
        }
        let mut counter = Counter {
            text,
            at: 0,
            line: 1,
        };
        let lines = records.take(self.max_lines + 1).map(|record| match record {
            Ok(record) => Line {
                number: counter.line(record.position()),
                value: row(&names, &record),
            },
            Err(error) => Line {
                number: counter.line(error.position()),
                value: Err(error.to_string()),
            },
        });
        Ok(lines.collect())
    }
}

/// Counts lines up to a record. The reader's own number counts a line break of two bytes late.
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
        // What ends the record before, and empty lines, are read with this one.
        let blank = rest.iter().take_while(|byte| matches!(byte, b'\r' | b'\n'));
        let begin = from + blank.count();
        let passed = bytes.get(self.at..begin).unwrap_or_default();
        for byte in passed {
            self.line += u64::from(*byte == b'\n');
        }
        self.at = begin.max(self.at);
        self.line
    }
}

fn row(names: &[&str], record: &csv::StringRecord) -> Result<Value, String> {
    if record.len() != names.len() {
        return Err(format!(
            "{} fields where the first line names {} columns",
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
        let lines = split.lines(text.as_bytes())?;
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
    fn a_bad_row_is_told_and_the_others_go_on() {
        let rows = split(Each::CsvLines, "a,b\n1,2\n3\n4,5\n").unwrap();
        assert_eq!(rows[0], (2, Ok(json!({"a": "1", "b": "2"}))));
        assert_eq!(rows[1].0, 3);
        assert!(rows[1].1.as_ref().unwrap_err().contains("1 fields where"));
        assert_eq!(rows[2], (4, Ok(json!({"a": "4", "b": "5"}))));
        let rows = split(Each::JsonLines, "{\"a\":1}\n\nno\n[2]").unwrap();
        assert_eq!((rows[0].0, rows[1].0, rows[2].0), (1, 3, 4));
        assert!(rows[1].1.is_err());
        assert_eq!(rows[2].1, Ok(json!([2])));
    }

    #[test]
    fn what_is_over_the_limits_is_not_cut_at_all() {
        let lines = SplitError::Lines { most: 3 };
        assert_eq!(split(Each::CsvLines, "a\n1\n2\n3\n4\n"), Err(lines.clone()));
        assert_eq!(split(Each::JsonLines, "1\n2\n3\n4\n"), Err(lines));
        assert!(split(Each::JsonLines, "1\n2\n3\n").is_ok());
        let bytes = SplitError::Bytes {
            bytes: 201,
            most: 200,
        };
        assert_eq!(split(Each::JsonLines, &" ".repeat(201)), Err(bytes));
    }

    #[test]
    fn a_header_that_does_not_tell_columns_apart_is_refused() {
        for (text, why) in [("a,a\n1,2\n", "two columns"), ("a,\n1,2\n", "column 2 has")] {
            let error = split(Each::CsvLines, text).expect_err("a bad header");
            assert!(error.to_string().contains(why), "{error}");
        }
        let split = Split {
            each: Each::CsvLines,
            max_lines: 3,
            max_bytes: 200,
        };
        assert_eq!(split.lines(b"a\n\xff\n"), Err(SplitError::Text { at: 2 }));
    }
}
