//! Invoices from a CSV file.

use std::path::Path;

use crate::invoice::Row;

/// The file that comes with the example.
pub const SAMPLE: &str = include_str!("../data/invoices.csv");

/// A line of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Its number in the file; the header is line 1.
    pub line: u64,
    /// Its content.
    pub row: Row,
}

/// Why a file could not be read.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// It could not be opened.
    #[error("the file cannot be read: path={path}")]
    Open {
        /// The file.
        path: String,
        /// Why.
        source: std::io::Error,
    },
    /// It is not CSV of the expected form.
    #[error("the file is not a list of invoices: {0}")]
    Csv(#[from] csv::Error),
}

impl Line {
    /// The key of its execution: one invoice number, one execution.
    #[must_use]
    pub fn key(&self) -> String {
        match self.row.number.as_deref().map(str::trim) {
            Some(number) if !number.is_empty() => format!("invoice {number}"),
            _ => format!("line {}", self.line),
        }
    }
}

/// Reads the lines of a file, or of the sample.
///
/// # Errors
/// [`FileError`] if the file as a whole is unreadable. A missing field is not an error.
pub fn read(path: Option<&Path>) -> Result<Vec<Line>, FileError> {
    let Some(path) = path else {
        return parse(SAMPLE.as_bytes());
    };
    let bytes = std::fs::read(path).map_err(|source| FileError::Open {
        path: path.display().to_string(),
        source,
    })?;
    parse(&bytes)
}

/// Reads lines with a header.
///
/// # Errors
/// As [`read`].
pub fn parse(bytes: &[u8]) -> Result<Vec<Line>, FileError> {
    let mut reader = csv::ReaderBuilder::new()
        .trim(csv::Trim::Headers)
        .from_reader(bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes));
    let header = reader.headers()?.clone();
    let mut lines = Vec::new();
    for record in reader.records() {
        let record = record?;
        lines.push(Line {
            line: record.position().map_or(0, csv::Position::line),
            row: record.deserialize(Some(&header))?,
        });
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn quoted_commas_and_quotes_belong_to_the_field() {
        let text = "number,supplier,amount_cents,currency,reference\n\
                    7,\"Smith, Wesson & Co.\",100,USD,\"the \"\"blue\"\" one, again\"\n";
        let row = &parse(text.as_bytes()).expect("it is CSV")[0].row;
        assert_eq!(row.supplier.as_deref(), Some("Smith, Wesson & Co."));
        assert_eq!(row.reference.as_deref(), Some("the \"blue\" one, again"));
    }

    #[test]
    fn an_empty_field_is_missing_and_a_mark_of_byte_order_is_not_a_letter() {
        let text = "\u{feff}number,supplier,amount_cents,currency,reference\n,X,,EUR,\n";
        let line = parse(text.as_bytes()).expect("it is CSV").remove(0);
        assert_eq!(
            (line.row.number.clone(), line.key()),
            (None, "line 2".to_owned())
        );
    }

    #[test]
    fn a_line_with_too_few_fields_is_an_error_that_names_it() {
        let text = "number,supplier,amount_cents,currency,reference\n1,2\n";
        let error = parse(text.as_bytes()).expect_err("two fields are missing");
        assert!(error.to_string().contains("line: 2"), "{error}");
    }

    #[test]
    fn the_sample_has_what_makes_invoices_hard() {
        let lines = read(None).expect("it is CSV");
        assert!(lines.len() >= 60);
        let keys: BTreeSet<_> = lines.iter().map(Line::key).collect();
        assert!(keys.len() < lines.len(), "a number comes twice");
        let checked: Vec<_> = lines.iter().map(|line| line.row.check()).collect();
        assert!(checked.iter().filter(|c| c.is_err()).count() >= 5);
        let good: Vec<_> = checked.into_iter().flatten().collect();
        assert!(good.iter().any(|i| i.amount_cents == (1 << 53) + 1));
        assert!(good.iter().any(|i| i.supplier.contains('株')));
        assert!(good.iter().any(|i| i.supplier.contains('ü')));
        assert!(good.iter().any(|i| i.reference.contains('"')));
        assert!(good.iter().any(|i| i.supplier.contains(',')));
    }
}
