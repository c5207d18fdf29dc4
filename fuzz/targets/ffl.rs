#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let _accepted = millpond_ffl::fuzz::text(data);
});
