//! The bank: a ledger file that accepts each payment once.
//!
//! It represents an external system: Millpond repeats a step whose worker died, so the effect of
//! the step must be safe to repeat. The step passes its idempotency key with each attempt, and for
//! a known key the bank returns the first payment's receipt.
//!
//! - **B1** A key occurs in at most one line: the lookup and the append are done under the file's
//!   lock, which all processes share and which is released when a process dies.
//! - **B2** A receipt is returned after its line has reached the disk.
//! - **B3** A torn last line (a crash while it was written) was never acknowledged: the next
//!   payment truncates it.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::invoice::Invoice;

/// Names the ledger file of the process; `ledger.csv` if it is not set.
pub const LEDGER: &str = "INVOICE_LEDGER";

/// The ledger of this process, once it is set.
static OF_PROCESS: OnceLock<PathBuf> = OnceLock::new();

/// A line of the ledger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Payment {
    /// The payer's idempotency key.
    pub key: String,
    /// The invoice.
    pub number: String,
    /// The recipient.
    pub supplier: String,
    /// The amount.
    pub amount_cents: u64,
    /// The currency.
    pub currency: String,
    /// The attempt of the step that paid.
    pub attempt: u32,
}

/// The reply of the bank.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Receipt {
    /// The payment's key.
    pub key: String,
    /// The attempt that paid.
    pub paid_by_attempt: u32,
    /// The attempt that received this reply: a later one if the first was interrupted.
    pub told_to_attempt: u32,
}

/// Why the bank did not reply.
#[derive(Debug, thiserror::Error)]
pub enum BankError {
    /// The ledger cannot be read or written.
    #[error("the ledger is not available: path={}", .path.display())]
    Ledger {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// The ledger is malformed.
    #[error("the ledger cannot be understood: path={}", .path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: csv::Error,
    },
}

/// A bank with its ledger.
#[derive(Debug, Clone)]
pub struct Bank {
    ledger: PathBuf,
    travel: Duration,
}

impl Bank {
    /// A bank that replies at once.
    pub fn new(ledger: impl Into<PathBuf>) -> Self {
        Self {
            ledger: ledger.into(),
            travel: Duration::ZERO,
        }
    }

    /// The bank of this process; each direction of a request takes 100 ms.
    #[must_use]
    pub fn of_process() -> Self {
        let by_environment =
            || std::env::var_os(LEDGER).map_or_else(|| "ledger.csv".into(), PathBuf::from);
        Self {
            ledger: OF_PROCESS.get_or_init(by_environment).clone(),
            travel: Duration::from_millis(100),
        }
    }

    /// Sets `ledger` as that of this process, unless one is set already.
    pub fn settle_on(ledger: PathBuf) {
        OF_PROCESS.get_or_init(|| ledger);
    }

    /// Pays an invoice, or finds the earlier payment with this key. Blocks its thread.
    ///
    /// # Errors
    /// [`BankError`]: the payment may have been made; retry with the same key.
    pub fn pay(&self, key: &str, attempt: u32, invoice: &Invoice) -> Result<Receipt, BankError> {
        std::thread::sleep(self.travel);
        let paid_by_attempt = self.book(Payment {
            key: key.to_owned(),
            number: one_line(&invoice.number),
            supplier: one_line(&invoice.supplier),
            amount_cents: invoice.amount_cents,
            currency: invoice.currency.clone(),
            attempt,
        })?;
        std::thread::sleep(self.travel);
        Ok(Receipt {
            key: key.to_owned(),
            paid_by_attempt,
            told_to_attempt: attempt,
        })
    }

    /// Every payment so far; none if the ledger does not exist yet.
    ///
    /// # Errors
    /// [`BankError`] if the ledger cannot be read.
    pub fn payments(&self) -> Result<Vec<Payment>, BankError> {
        match std::fs::read(&self.ledger) {
            Ok(bytes) => self.parse(whole_lines(&bytes)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(self.failed(error)),
        }
    }

    /// The ledger file.
    #[must_use]
    pub fn ledger(&self) -> &Path {
        &self.ledger
    }

    /// Appends the payment unless its key exists (B1); returns the attempt that has paid.
    fn book(&self, payment: Payment) -> Result<u32, BankError> {
        let failed = |error| self.failed(error);
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(&self.ledger).map_err(failed)?;
        file.lock().map_err(failed)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(failed)?;
        let whole = whole_lines(&bytes);
        if let Some(known) = self
            .parse(whole)?
            .into_iter()
            .find(|p| p.key == payment.key)
        {
            return Ok(known.attempt);
        }
        let attempt = payment.attempt;
        let line = self.line(payment)?;
        append(&mut file, whole.len() as u64, &line).map_err(failed)?;
        Ok(attempt)
    }

    fn line(&self, payment: Payment) -> Result<Vec<u8>, BankError> {
        let mut writer = csv::WriterBuilder::new()
            .has_headers(false)
            .from_writer(Vec::new());
        writer
            .serialize(payment)
            .map_err(|source| self.odd(source))?;
        writer
            .into_inner()
            .map_err(|error| self.failed(error.into_error()))
    }

    fn parse(&self, bytes: &[u8]) -> Result<Vec<Payment>, BankError> {
        csv::ReaderBuilder::new()
            .has_headers(false)
            .from_reader(bytes)
            .deserialize()
            .collect::<Result<_, _>>()
            .map_err(|source| self.odd(source))
    }

    fn failed(&self, source: std::io::Error) -> BankError {
        BankError::Ledger {
            path: self.ledger.clone(),
            source,
        }
    }

    fn odd(&self, source: csv::Error) -> BankError {
        BankError::Content {
            path: self.ledger.clone(),
            source,
        }
    }
}

/// B2, B3. The lock is released with the file.
fn append(file: &mut File, whole: u64, line: &[u8]) -> std::io::Result<()> {
    file.set_len(whole)?;
    file.seek(SeekFrom::Start(whole))?;
    file.write_all(line)?;
    file.sync_all()
}

/// A record of the ledger is one line of the file, otherwise a quoted part of one could look
/// complete (B3).
fn one_line(text: &str) -> String {
    text.replace(char::is_control, " ")
}

/// The length up to the end of the last complete line.
fn whole_lines(bytes: &[u8]) -> &[u8] {
    let end = bytes
        .iter()
        .rposition(|b| *b == b'\n')
        .map_or(0, |at| at + 1);
    &bytes[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn invoice(number: &str) -> Invoice {
        Invoice {
            number: number.into(),
            supplier: "Łódź \"Włókno\", S.A.".into(),
            amount_cents: (1 << 53) + 1,
            currency: "EUR".into(),
            reference: String::new(),
        }
    }

    fn bank() -> (tempfile::TempDir, Bank) {
        let folder = tempfile::tempdir().expect("a folder");
        let bank = Bank::new(folder.path().join("ledger.csv"));
        (folder, bank)
    }

    #[test]
    fn a_key_pays_once() {
        let (_folder, bank) = bank();
        let first = bank.pay("k", 1, &invoice("1")).expect("it pays");
        let second = bank.pay("k", 2, &invoice("1")).expect("it answers");
        assert_eq!((first.paid_by_attempt, first.told_to_attempt), (1, 1));
        assert_eq!((second.paid_by_attempt, second.told_to_attempt), (1, 2));
        let payments = bank.payments().expect("it reads");
        assert_eq!(payments.len(), 1);
        assert_eq!(payments[0].amount_cents, 9_007_199_254_740_993);
        assert_eq!(payments[0].supplier, "Łódź \"Włókno\", S.A.");
    }

    #[test]
    fn many_at_once_pay_once() {
        let (_folder, bank) = bank();
        std::thread::scope(|scope| {
            for n in 0..16 {
                let bank = &bank;
                scope.spawn(move || {
                    let key = format!("k{}", n % 4);
                    bank.pay(&key, 1, &invoice(&key)).expect("it pays")
                });
            }
        });
        assert_eq!(bank.payments().expect("it reads").len(), 4);
    }

    #[test]
    fn a_torn_line_was_never_paid() {
        let (_folder, bank) = bank();
        bank.pay("a", 1, &invoice("1")).expect("it pays");
        let mut file = OpenOptions::new()
            .append(true)
            .open(bank.ledger())
            .expect("it is there");
        file.write_all(b"b,2,half a li").expect("it writes");
        assert_eq!(bank.payments().expect("it reads").len(), 1);
        bank.pay("b", 2, &invoice("2")).expect("it pays");
        let keys: Vec<_> = bank.payments().expect("it reads");
        assert_eq!(
            keys.iter().map(|p| p.key.as_str()).collect::<Vec<_>>(),
            ["a", "b"]
        );
    }

    #[test]
    fn a_ledger_that_is_none_is_an_error() {
        let (_folder, bank) = bank();
        std::fs::write(bank.ledger(), "not a ledger\n").expect("it writes");
        assert!(matches!(
            bank.pay("a", 1, &invoice("1")),
            Err(BankError::Content { .. })
        ));
    }
}
