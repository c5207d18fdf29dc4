//! Every misuse has its own message, in the right place.
//!
//! After a change on purpose: `TRYBUILD=overwrite cargo test -p millpond-macros --test ui`.

#[test]
fn a_misuse_is_reported_with_its_remedy() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/*.rs");
}
