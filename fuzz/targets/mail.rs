#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    millpond::testing::fuzz::mail(data);
});
