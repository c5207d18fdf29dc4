use proptest::prelude::*;
use serde_json::{Value, json};

use crate::definition::{Reduce, canonical};
use crate::state::{ReduceError, reduce};

/// What the reducer makes of the contributions, the first one to an absent key.
fn all(how: Reduce, start: Option<Value>, given: &[Value]) -> Result<Option<Value>, ReduceError> {
    given.iter().try_fold(start, |value, next| {
        reduce(how, value, next.clone()).map(Some)
    })
}

fn overflow(result: &Result<Option<Value>, ReduceError>) -> bool {
    matches!(result, Err(ReduceError::Overflow { .. }))
}

fn mismatch(result: &Result<Option<Value>, ReduceError>) -> bool {
    matches!(result, Err(ReduceError::Type { .. }))
}

#[test]
fn s3_each_reducer_computes_its_table() {
    use Reduce::{Append, Concat, Max, Merge, Min, Replace, Set, Sum};
    let big = u64::MAX;
    for (how, start, given, expected) in [
        (Replace, json!(1), vec![json!(2), json!(null)], json!(null)),
        (Append, json!(null), vec![json!(1)], json!([1])),
        (
            Append,
            json!([]),
            vec![json!(1), json!([2])],
            json!([1, [2]]),
        ),
        (Concat, json!(null), vec![json!([])], json!([])),
        (
            Concat,
            json!([1]),
            vec![json!([2, 3]), json!([]), json!([1])],
            json!([1, 2, 3, 1]),
        ),
        (Merge, json!(null), vec![json!({"a": 1})], json!({"a": 1})),
        (
            Merge,
            json!({"a": {"x": 1}, "b": 1}),
            vec![json!({"a": {"y": 2}}), json!({"c": null})],
            json!({"a": {"y": 2}, "b": 1, "c": null}),
        ),
        (Sum, json!(null), vec![json!(5)], json!(5)),
        (
            Sum,
            json!(i64::MAX),
            vec![json!(1)],
            json!(i64::MAX as u64 + 1),
        ),
        (Sum, json!(big), vec![json!(-1)], json!(big - 1)),
        (Sum, json!(1), vec![json!(0.5)], json!(1.5)),
        (Sum, json!(1.5), vec![json!(0.5)], json!(2.0)),
        (
            Max,
            json!(null),
            vec![json!(3), json!(7), json!(5)],
            json!(7),
        ),
        (
            Max,
            json!(9_007_199_254_740_993_u64),
            vec![json!(9_007_199_254_740_992.0)],
            json!(9_007_199_254_740_993_u64),
        ),
        (Max, json!(1), vec![json!(1.0)], json!(1)),
        (Max, json!(-1), vec![json!(-0.5)], json!(-0.5)),
        (Max, json!(big), vec![json!(1e300)], json!(1e300)),
        (
            Max,
            json!("2024"),
            vec![json!("2025"), json!("2023")],
            json!("2025"),
        ),
        (
            Min,
            json!(null),
            vec![json!(3), json!(-7), json!(5)],
            json!(-7),
        ),
        (Min, json!(1), vec![json!(0.5), json!(1.5)], json!(0.5)),
        (Min, json!(-2), vec![json!(-2.5)], json!(-2.5)),
        (Min, json!("b"), vec![json!("a")], json!("a")),
        (
            Set,
            json!(null),
            vec![json!(["b", "a", "b"])],
            json!(["a", "b"]),
        ),
        (
            Set,
            json!(["x"]),
            vec![json!([10, 9, {"b": 1, "a": 2}]), json!([{"a": 2, "b": 1}])],
            json!(["x", 10, 9, {"a": 2, "b": 1}]),
        ),
        (Set, json!([1]), vec![json!([1.0])], json!([1, 1.0])),
    ] {
        let start = (!start.is_null()).then_some(start);
        assert_eq!(
            all(how, start, &given),
            Ok(Some(expected)),
            "{how:?} of {given:?}"
        );
    }
}

#[test]
fn s3_a_wrong_type_is_refused_by_each_reducer() {
    for (how, start, given) in [
        (Reduce::Append, json!(1), json!(1)),
        (Reduce::Append, json!(null), json!(1)),
        (Reduce::Concat, json!([]), json!(1)),
        (Reduce::Concat, json!({}), json!([])),
        (Reduce::Merge, json!({}), json!([])),
        (Reduce::Merge, json!([]), json!({})),
        (Reduce::Sum, json!(1), json!("1")),
        (Reduce::Sum, json!("1"), json!(1)),
        (Reduce::Max, json!(1), json!("1")),
        (Reduce::Max, json!(true), json!(1)),
        (Reduce::Min, json!("1"), json!(1)),
        (Reduce::Min, json!("1"), json!(null)),
        (Reduce::Set, json!([]), json!("a")),
        (Reduce::Set, json!("a"), json!([])),
    ] {
        assert!(
            mismatch(&all(how, Some(start.clone()), std::slice::from_ref(&given))),
            "{how:?} {start} {given}"
        );
    }
    for how in [Reduce::Max, Reduce::Min] {
        assert!(mismatch(&all(how, None, &[json!([1])])));
    }
}

#[test]
fn s3_a_sum_that_overflows_is_refused() {
    for (start, given) in [
        (json!(u64::MAX), json!(1)),
        (json!(i64::MIN), json!(-1)),
        (json!(1.7e308), json!(1.7e308)),
        (json!(-1.7e308), json!(-1.7e308)),
    ] {
        assert!(
            overflow(&all(
                Reduce::Sum,
                Some(start.clone()),
                std::slice::from_ref(&given)
            )),
            "{start} + {given}"
        );
    }
}

#[test]
fn s3_large_lists_are_reduced_without_being_copied_each_time() {
    let given: Vec<_> = (0..100_000).map(|number| json!(number)).collect();
    let list = all(Reduce::Append, None, &given)
        .expect("appended")
        .expect("a value");
    assert_eq!(list.as_array().map(Vec::len), Some(100_000));
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<i64>().prop_map(Value::from),
        "[a-c]{0,2}".prop_map(Value::from),
        any::<bool>().prop_map(Value::from)
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn s3_a_set_does_not_depend_on_the_order_of_contributions(
        lists in prop::collection::vec(prop::collection::vec(scalar(), 0..6), 1..5)
    ) {
        let given: Vec<_> = lists.iter().map(|list| json!(list)).collect();
        let backwards: Vec<_> = given.iter().rev().cloned().collect();
        let one = all(Reduce::Set, None, &given).expect("lists");
        prop_assert_eq!(&one, &all(Reduce::Set, None, &backwards).expect("lists"));
        let texts: Vec<_> = one.expect("a value").as_array().expect("a list").iter().map(canonical).collect();
        prop_assert!(texts.windows(2).all(|two| two[0] < two[1]), "sorted, each once: {:?}", texts);
    }

    #[test]
    fn s3_a_sum_of_whole_numbers_is_exact(numbers in prop::collection::vec(any::<i32>(), 1..20)) {
        let given: Vec<_> = numbers.iter().map(|number| json!(number)).collect();
        let sum: i64 = numbers.iter().map(|number| i64::from(*number)).sum();
        prop_assert_eq!(all(Reduce::Sum, None, &given), Ok(Some(json!(sum))));
    }

    #[test]
    fn s3_the_maximum_is_not_less_than_any_contribution(numbers in prop::collection::vec(-1e18_f64..1e18, 1..9), whole in any::<i64>()) {
        let mut given: Vec<_> = numbers.iter().map(|number| json!(number)).collect();
        given.push(json!(whole));
        let max = all(Reduce::Max, None, &given).expect("numbers").expect("a value");
        for number in given {
            let both = reduce(Reduce::Max, Some(max.clone()), number);
            prop_assert_eq!(both, Ok(max.clone()));
        }
    }
}
