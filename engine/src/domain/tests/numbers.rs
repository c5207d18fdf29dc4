//! Integers keep 64 bits, doubles are read bit for bit, and values that are not numbers are
//! rejected.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::{back, survives};
use crate::domain::{Json, ValueError};

#[test]
fn integers_keep_64_bits() {
    for n in [(1_u64 << 53) + 1, u64::MAX, 0, i64::MAX as u64] {
        survives(&n);
        survives(&u128::from(n));
    }
    for n in [i64::MIN, i64::MIN + 1, -1, -((1_i64 << 53) + 1), i64::MAX] {
        survives(&n);
        survives(&i128::from(n));
    }
    survives(&i128::from(u64::MAX));
}

#[test]
fn integers_over_64_bits_are_refused_by_type() {
    let over = u128::from(u64::MAX) + 1;
    let got = over.to_string();
    assert_eq!(
        Json::of(&over).err(),
        Some(ValueError::TooWide { got: got.clone() })
    );
    assert!(matches!(
        Json::of(&u128::MAX),
        Err(ValueError::TooWide { .. })
    ));
    let under = i128::from(i64::MIN) - 1;
    assert!(matches!(Json::of(&under), Err(ValueError::TooWide { .. })));
    assert!(matches!(
        Json::of(&vec![Some((1_u8, over))]),
        Err(ValueError::TooWide { .. })
    ));
    // `serde_json` would read these as doubles.
    assert_eq!(Json::parse(&got).err(), Some(ValueError::TooWide { got }));
    let inside = format!(r#"{{"a":[1,{under}]}}"#);
    assert!(matches!(
        Json::parse(&inside),
        Err(ValueError::TooWide { .. })
    ));
}

#[test]
fn extreme_doubles_come_back_bit_for_bit() {
    let all = [
        0.0,
        -0.0,
        5e-324,
        -5e-324,
        f64::MIN_POSITIVE,
        f64::MAX,
        f64::MIN,
        f64::EPSILON,
        0.1 + 0.2,
        1e16,
        1e21,
        9_007_199_254_740_993.0,
        1.0,
    ];
    for x in all {
        assert_eq!(back(&x).to_bits(), x.to_bits(), "{x:e}");
    }
    for x in [0.1_f32, -0.0, f32::MAX, f32::MIN_POSITIVE, 1e-45] {
        assert_eq!(back(&x).to_bits(), x.to_bits(), "{x:e}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn any_double_comes_back_bit_for_bit_or_is_refused(bits: u64) {
        let x = f64::from_bits(bits);
        match Json::of(&x) {
            Ok(json) => {
                let back: f64 = json.get().unwrap();
                prop_assert_eq!(back.to_bits(), bits);
                let parsed: f64 = Json::parse(json.as_str()).unwrap().get().unwrap();
                prop_assert_eq!(parsed.to_bits(), bits);
                for text in [format!("{x:.16e}"), format!("{x:.20e}"), format!("{x:.60e}")] {
                    let printed: f64 = Json::parse(&text).expect(&text).get().unwrap();
                    prop_assert_eq!(printed.to_bits(), bits);
                }
            }
            Err(error) => {
                prop_assert!(!x.is_finite());
                let refused = matches!(error, ValueError::NotFinite { .. });
                prop_assert!(refused);
            }
        }
    }

    #[test]
    fn any_single_comes_back_bit_for_bit_or_is_refused(bits: u32) {
        let x = f32::from_bits(bits);
        match Json::of(&x) {
            Ok(json) => prop_assert_eq!(json.get::<f32>().unwrap().to_bits(), bits),
            Err(_) => prop_assert!(!x.is_finite()),
        }
    }

    #[test]
    fn any_integer_comes_back(signed: i64, unsigned: u64) {
        prop_assert_eq!(Json::of(&signed).unwrap().get::<i64>().unwrap(), signed);
        prop_assert_eq!(Json::of(&unsigned).unwrap().get::<u64>().unwrap(), unsigned);
    }
}

#[derive(serde::Serialize)]
struct Deep {
    list: Vec<Option<BTreeMap<String, Inner>>>,
}

#[derive(serde::Serialize)]
enum Inner {
    Tuple(u8, f64),
    Struct { x: f32 },
    New(Box<f64>),
}

#[test]
fn nan_and_infinities_are_refused_by_type_at_any_depth() {
    let inside = |inner| {
        let map = BTreeMap::from([("k".to_owned(), inner)]);
        let list = vec![None, Some(map)];
        Json::of(&Deep { list }).err()
    };
    let not = |got: &str| Some(ValueError::NotFinite { got: got.into() });
    assert_eq!(Json::of(&f64::NAN).err(), not("NaN"));
    assert_eq!(Json::of(&f32::NEG_INFINITY).err(), not("-inf"));
    assert_eq!(Json::of(&Some(f64::INFINITY)).err(), not("inf"));
    assert_eq!(Json::of(&[1.0, f64::NAN]).err(), not("NaN"));
    assert_eq!(inside(Inner::Tuple(1, f64::NAN)), not("NaN"));
    assert_eq!(inside(Inner::Struct { x: f32::NAN }), not("NaN"));
    assert_eq!(inside(Inner::New(Box::new(f64::INFINITY))), not("inf"));
    assert_eq!(inside(Inner::Tuple(1, 1.0)), None);
}

#[test]
fn numbers_of_text_are_kept_or_refused_never_changed() {
    for text in ["1e400", "-1e400"] {
        assert!(
            matches!(
                Json::parse(text),
                Err(ValueError::NotFinite { .. } | ValueError::Deserialize { .. })
            ),
            "{text}"
        );
    }
    for text in [
        "NaN", "Infinity", "01", "+1", "1.", ".5", "0x1", "1_000", "--1",
    ] {
        let refused = matches!(Json::parse(text), Err(ValueError::Deserialize { .. }));
        assert!(refused, "{text}");
    }
    let zero: f64 = Json::parse("-0").unwrap().get().unwrap();
    assert!(zero == 0.0 && zero.is_sign_negative());
    let max: u64 = Json::parse(" 18446744073709551615 ")
        .unwrap()
        .get()
        .unwrap();
    assert_eq!(max, u64::MAX);
}

#[test]
fn a_decimal_that_a_double_would_round_is_refused_never_rounded() {
    for text in [
        "9007199254740993.0",
        "9007199254740993e0",
        "1e-400",
        "-1e-400",
        "2e-324",
        "0.10000000000000004",
        "0.10000000000000000001",
        "3.141592653589793238462643383279",
        "1e-99999999999999999999",
    ] {
        let refused = ValueError::Inexact { got: text.into() };
        assert_eq!(Json::parse(text).err(), Some(refused), "{text}");
    }
    let long = format!("0.{}", "3".repeat(100_000));
    assert!(matches!(
        Json::parse(&long),
        Err(ValueError::Inexact { got }) if got.len() == 100
    ));
}

#[test]
fn a_decimal_that_its_double_prints_is_accepted() {
    for (text, double) in [
        ("0.1", 0.1_f64),
        ("-686290535511175.2", -686_290_535_511_175.3),
        ("-686290535511175.3", -686_290_535_511_175.3),
        ("1.50", 1.5),
        ("100E-2", 1.0),
        ("0e-999", 0.0),
        ("-0.0", -0.0),
        ("5e-324", 5e-324),
        ("4.9406564584124654e-324", 5e-324),
        ("1e21", 1e21),
        ("1e23", 1e23),
        ("1000000000000000000000000.0e-1", 1e23),
        ("9007199254740992.0", 9_007_199_254_740_992.0),
        // C's `%.17g` and `%.20g`, and what Python's `Decimal(0.1)` prints.
        ("0.10000000000000001", 0.1),
        ("0.30000000000000004", 0.1 + 0.2),
        ("0.10000000000000000555", 0.1),
        (
            "0.1000000000000000055511151231257827021181583404541015625",
            0.1,
        ),
    ] {
        let read: f64 = Json::parse(text).expect(text).get().expect(text);
        assert_eq!(read.to_bits(), double.to_bits(), "{text}");
    }
    // The longest expansion: 767 significant digits.
    let longest = format!("{:.1074}", f64::from_bits((1 << 52) - 1));
    assert!(Json::parse(&longest).is_ok());
}

#[test]
fn a_value_inside_another_type_is_checked_as_a_text_is() {
    #[derive(Debug, serde::Deserialize)]
    struct Body {
        #[allow(dead_code)]
        input: Json,
    }
    let deep = format!("{}{}", "[".repeat(101), "]".repeat(101));
    for (input, why) in [
        ("18446744073709551616", "integer over 64 bits"),
        ("1e400", "not a JSON number"),
        (r#""\ud800""#, "cannot be read"),
        ("9007199254740993.0", "decimal that a double would round"),
        (&deep, "nested deeper than 100"),
    ] {
        let body = serde_json::from_str::<Body>(&format!(r#"{{"input":{input}}}"#));
        let error = body.expect_err(input).to_string();
        assert!(error.contains(why), "{input}: {error}");
    }
}
