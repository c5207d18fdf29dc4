//! Invoices: as received, and as checked.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The accepted currencies.
pub const CURRENCIES: [&str; 9] = [
    "CAD", "CHF", "CNY", "DKK", "EUR", "GBP", "JPY", "SEK", "USD",
];

/// One line as received: any field may be missing or wrong.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Row {
    /// The supplier's number of the invoice.
    pub number: Option<String>,
    /// The supplier.
    pub supplier: Option<String>,
    /// The amount, in cents.
    pub amount_cents: Option<String>,
    /// The currency.
    pub currency: Option<String>,
    /// The payment reference.
    pub reference: Option<String>,
}

/// An invoice that can be paid.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Invoice {
    /// The supplier's number of the invoice.
    pub number: String,
    /// The supplier.
    pub supplier: String,
    /// The amount: a whole number of cents, since floats cannot represent every amount exactly.
    pub amount_cents: u64,
    /// The currency.
    pub currency: String,
    /// The payment reference.
    pub reference: String,
}

/// The result of checking a row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Checked {
    /// It can be paid.
    Good(Invoice),
    /// It cannot be paid, for this reason.
    Bad(String),
}

impl Row {
    /// Parses an invoice from the row.
    ///
    /// # Errors
    /// The first error in it, for people.
    pub fn check(&self) -> Result<Invoice, String> {
        let amount = field("amount", self.amount_cents.as_ref())?;
        if amount.starts_with('-') {
            return Err(format!("the amount is negative: {amount:?}"));
        }
        let amount_cents = amount
            .parse()
            .map_err(|_| format!("the amount is not a whole number of cents: {amount:?}"))?;
        if amount_cents == 0 {
            return Err("the amount is 0".to_owned());
        }
        let currency = field("currency", self.currency.as_ref())?;
        if !CURRENCIES.contains(&currency.as_str()) {
            return Err(format!("we do not pay in {currency:?}"));
        }
        Ok(Invoice {
            number: field("invoice number", self.number.as_ref())?,
            supplier: field("supplier", self.supplier.as_ref())?,
            amount_cents,
            currency,
            reference: self.reference.clone().unwrap_or_default(),
        })
    }
}

fn field(name: &str, value: Option<&String>) -> Result<String, String> {
    match value.map(|text| text.trim()) {
        Some(text) if !text.is_empty() => Ok(text.to_owned()),
        _ => Err(format!("the {name} is missing")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row() -> Row {
        Row {
            number: Some("R-1".into()),
            supplier: Some("Müller & Söhne".into()),
            amount_cents: Some("1250".into()),
            currency: Some("EUR".into()),
            reference: None,
        }
    }

    #[test]
    fn a_whole_row_is_an_invoice() {
        let invoice = row().check().expect("nothing is missing");
        assert_eq!(
            (invoice.amount_cents, invoice.reference.as_str()),
            (1250, "")
        );
    }

    #[test]
    fn each_missing_field_is_named() {
        type Spoil = fn(&mut Row);
        let cases: [(&str, Spoil); 4] = [
            ("invoice number", |row| row.number = None),
            ("supplier", |row| row.supplier = Some("  ".into())),
            ("amount", |row| row.amount_cents = None),
            ("currency", |row| row.currency = None),
        ];
        for (name, spoil) in cases {
            let mut row = row();
            spoil(&mut row);
            assert_eq!(row.check(), Err(format!("the {name} is missing")));
        }
    }

    #[test]
    fn an_amount_is_a_whole_number_of_cents_above_zero() {
        for wrong in ["12.50", "-5", "0", "1e3", "18446744073709551616", "twelve"] {
            let row = Row {
                amount_cents: Some(wrong.into()),
                ..row()
            };
            assert!(row.check().is_err(), "{wrong} passed");
        }
    }

    #[test]
    fn an_amount_beyond_the_reach_of_doubles_is_exact() {
        let row = Row {
            amount_cents: Some("9007199254740993".into()),
            ..row()
        };
        let invoice = row.check().expect("it is a whole number");
        let text = serde_json::to_string(&invoice).expect("it is plain data");
        assert!(text.contains("9007199254740993"), "{text}");
    }

    #[test]
    fn a_currency_we_do_not_pay_in_is_refused() {
        let row = Row {
            currency: Some("XAU".into()),
            ..row()
        };
        assert_eq!(row.check(), Err("we do not pay in \"XAU\"".to_owned()));
    }
}
