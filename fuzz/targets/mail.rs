#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    millpond_testing::fuzz::mail(data);
});
