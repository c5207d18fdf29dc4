//! The fuzzer's stored corpus, fed to the same functions without the fuzzer.

use std::fs;
use std::path::{Path, PathBuf};

use millpond_testing::fuzz::TARGETS;

fn corpus(target: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus");
    let files = fs::read_dir(folder.join(target)).unwrap_or_else(|e| panic!("{target}: {e}"));
    files
        .map(|file| file.expect("it is listed").path())
        .collect()
}

#[test]
fn no_stored_input_breaks_a_rule_and_both_good_and_bad_ones_are_stored() {
    for (target, holds) in TARGETS {
        let (mut good, mut bad) = (0, 0);
        for file in corpus(target) {
            println!("{}", file.display()); // the last one named is the one that panicked
            if holds(&fs::read(&file).expect("it is there")) {
                good += 1;
            } else {
                bad += 1;
            }
        }
        assert!(good > 3 && bad > 0, "{target}: {good} good, {bad} bad");
    }
}

#[test]
fn the_corpus_stays_small() {
    let files = TARGETS.into_iter().flat_map(|(target, _)| corpus(target));
    let bytes: u64 = files
        .map(|file| file.metadata().expect("it is there").len())
        .sum();
    assert!(bytes < 300 << 10, "{bytes} bytes");
}
