//! The fuzzer's stored corpus, read without the fuzzer.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

#[test]
fn no_stored_text_breaks_a_rule_and_both_good_and_bad_ones_are_stored() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/ffl");
    let (mut good, mut bad, mut bytes) = (0, 0, 0);
    for file in fs::read_dir(folder).expect("the corpus is there") {
        let path = file.expect("it is listed").path();
        println!("{}", path.display()); // the last one named is the one that panicked
        let mut data = Vec::new();
        File::open(&path)
            .and_then(|mut file| file.read_to_end(&mut data))
            .expect("it is there");
        bytes += data.len();
        let count = if millpond_ffl::fuzz::text(&data) {
            &mut good
        } else {
            &mut bad
        };
        *count += 1;
    }
    assert!(good > 3 && bad > 3, "{good} good, {bad} bad");
    assert!(bytes < 100 << 10, "the corpus stays small: {bytes} bytes");
}
