//! The memory that the lines of an object take once they are values.
//!
//! A value takes many times the bytes of its text: `[1,1,1]` with 16 MiB of ones takes about 540 MiB. The
//! bound is computed from the text, so that a text that is too large is refused before it is parsed.

/// Bytes of a value at most: its slot in a list or an object, which grow by doubling.
const VALUE: usize = 80;

/// The bytes that all lines of an object take at most while one object is handled, and the maximum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Budget(pub(crate) usize);

impl Budget {
    /// No bound: the process has the memory of its machine.
    pub(crate) const NONE: Self = Self(usize::MAX);

    /// The bytes that an object of this size takes at most, whatever it contains.
    pub(crate) fn worst(self, bytes: usize) -> usize {
        // Each value has at least two bytes of text.
        bytes
            .saturating_add((bytes / 2 + 1).saturating_mul(VALUE))
            .min(self.0)
    }
}

/// The bytes that the JSON text of one line takes as a value: at least that much.
pub(super) fn json(line: &str) -> usize {
    // Inside of texts they count as well: this is a bound.
    let begins = |byte: &&u8| matches!(byte, b',' | b':' | b'[' | b'{');
    let values = 1 + line.as_bytes().iter().filter(begins).count();
    line.len().saturating_add(values.saturating_mul(VALUE))
}

/// The bytes that one row of a CSV takes as an object whose members have these names.
pub(super) fn row(names: &[&str], bytes: usize) -> usize {
    let names = names.iter().map(|name| name.len() + 2 * VALUE);
    names.fold(bytes, usize::saturating_add)
}

/// For messages.
pub(super) fn mebibytes(bytes: usize) -> usize {
    bytes.div_ceil(1 << 20)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::triggers::split::Each;
    use crate::triggers::split::{Split, SplitError};

    #[test]
    fn c15_lines_that_would_exceed_the_memory_are_refused_before_they_are_parsed() {
        let split = |each| Split {
            each,
            max_lines: 10_000,
            max_bytes: 16 << 20,
        };
        let half = Budget(64 << 20);
        let ones = format!("1\n[{}1]\n", "1,".repeat((8 << 20) - 4));
        let error = split(Each::JsonLines).lines(ones.as_bytes(), half);
        let error = error.expect_err("it takes 543 MiB").to_string();
        let values = "line=2, up_to_mib=672, max_mib=64";
        assert!(
            error.contains("raise the memory") && error.ends_with(values),
            "{error}"
        );
        // Many small lines together, and rows whose names are long.
        let many = "[1,1]\n".repeat(9_000);
        let budget = |bytes| split(Each::JsonLines).lines(many.as_bytes(), Budget(bytes));
        assert!(budget(4 << 20).is_ok());
        let error = budget(2 << 20).expect_err("they take 3 MB");
        assert!(
            matches!(error, SplitError::Memory { max: 2, .. }),
            "{error}"
        );
        let name = "n".repeat(100_000);
        let rows = format!("{name}\n{}", "1\n".repeat(1_000));
        let error = split(Each::CsvLines).lines(rows.as_bytes(), half);
        assert!(matches!(error, Err(SplitError::Memory { line: 2.., .. })));
        // A text takes little more than its bytes.
        let text = format!("\"{}\"", "x".repeat(8 << 20));
        let lines = split(Each::JsonLines).lines(text.as_bytes(), half);
        assert_eq!(lines.map(|lines| lines.len()), Ok(1));
    }
}
