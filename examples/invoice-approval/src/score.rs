//! The risk of paying an invoice.

use crate::invoice::Invoice;

/// Words in the name of a supplier that raise the risk.
const UNUSUAL: [&str; 4] = ["holding", "offshore", "consulting", "trading"];

/// From 0 (pay it) to 100 (review it), by amount, supplier and currency alone.
#[must_use]
pub fn risk(invoice: &Invoice) -> u8 {
    let amount = match invoice.amount_cents {
        0..100_000 => 5,
        100_000..1_000_000 => 20,
        1_000_000..10_000_000 => 45,
        10_000_000..1_000_000_000 => 65,
        _ => 80,
    };
    let name = invoice.supplier.to_lowercase();
    let supplier = if UNUSUAL.iter().any(|word| name.contains(word)) {
        30
    } else {
        0
    };
    let currency = match invoice.currency.as_str() {
        "EUR" => 0,
        "CHF" | "DKK" | "GBP" | "SEK" | "USD" => 5,
        _ => 10,
    };
    (amount + supplier + currency).min(100)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(supplier: &str, amount_cents: u64, currency: &str) -> u8 {
        risk(&Invoice {
            number: "1".into(),
            supplier: supplier.into(),
            amount_cents,
            currency: currency.into(),
            reference: String::new(),
        })
    }

    #[test]
    fn more_money_is_never_less_risk() {
        let amounts = [1, 99_999, 100_000, 1_000_000, 10_000_000, 1 << 53, u64::MAX];
        let risks = amounts.map(|cents| of("Bäckerei Krüger", cents, "EUR"));
        assert!(risks.is_sorted(), "{risks:?}");
    }

    #[test]
    fn supplier_and_currency_count() {
        assert_eq!(of("Bäckerei Krüger", 100, "EUR"), 5);
        assert_eq!(of("Bäckerei Krüger", 100, "USD"), 10);
        assert_eq!(of("Sunny OFFSHORE Ltd", 100, "EUR"), 35);
    }

    #[test]
    fn a_hundred_is_the_most() {
        assert_eq!(of("Offshore Trading", u64::MAX, "CNY"), 100);
    }
}
