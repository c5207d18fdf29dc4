//! How long the phases of a compilation take.
//!
//! `cargo run --release -p millpond-ffl --example compile [FILE..]` compiles the files; without
//! files, a program of 10,000 lines. 10,000 lines are to compile in under a second.

#![expect(
    clippy::disallowed_methods,
    reason = "a program of its own: it reads files and measures with the system's clock"
)]

use std::fmt::Write as _;
use std::time::Instant;

use millpond_ffl::check::check;
use millpond_ffl::diag::located;
use millpond_ffl::json::{Detail, emit, lower, read};
use millpond_ffl::parse::parse;
use millpond_ffl::source::{Origin, Sources};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut sources = Sources::new();
    let names: Vec<String> = std::env::args().skip(1).collect();
    for name in &names {
        sources.add_bytes(name, Origin::Primary, &std::fs::read(name)?)?;
    }
    if names.is_empty() {
        sources.add("generated.ffl", Origin::Primary, &generated(10_000))?;
    }
    let lines: usize = sources
        .iter()
        .map(|(_, source)| source.lines().count())
        .sum();
    let begin = Instant::now();
    let parsed: Vec<_> = sources.iter().map(|(id, _)| parse(&sources, id)).collect();
    let parse_time = begin.elapsed();
    let mut found: Vec<_> = parsed
        .iter()
        .flat_map(|parsed| parsed.diagnostics.clone())
        .collect();
    let files: Vec<_> = parsed.into_iter().map(|parsed| parsed.file).collect();
    if found.is_empty() {
        let begin = Instant::now();
        found = check(&files);
        println!("check: {:?}", begin.elapsed());
    }
    for found in located(&found, &sources) {
        let place = found.span;
        println!(
            "{}:{}: {} {}",
            place.file, place.line, found.code, found.message
        );
    }
    let begin = Instant::now();
    let json = emit(&lower(&files, &sources, Detail::FULL));
    let emit_time = begin.elapsed();
    let begin = Instant::now();
    read(json.as_bytes())?;
    println!(
        "parse: {parse_time:?}\nemit: {emit_time:?}, bytes={}",
        json.len()
    );
    println!("read: {:?}\nlines={lines}", begin.elapsed());
    Ok(())
}

/// A correct program of about so many lines.
fn generated(lines: usize) -> String {
    let mut text = String::new();
    for number in 0..lines / 20 {
        write!(
            text,
            r#"
/** Orders of shop {number}. */
namespace shop.n{number} {{
    use shop.n0

    schema Line {{ sku: String, count: Int, tags: [String] }}
    event facet Reserve{number}(line: Line, count: Int = 1) => (ok: Boolean, place: String, line: Line)
    event facet Alert{number}(text: String)

    workflow Order{number}(lines: [Line], line: Line, who: String) => (places: Json) andThen {{
        r = Reserve{number}(line = $.line, count = $.line.count * 2 + 1) with Timeout(minutes = 5) andThen {{
            yield Order{number}(places = [r.place, #{{ at: $.who, "n": {number} }}])
        }} catch {{
            a = Alert{number}(text = r.error ++ " for " ++ $.who)
        }}
        s = Reserve{number}(line = r.line, count = r.line.count)
    }} andThen when {{
        case s.line.count > 1 && !s.ok => {{ b = Alert{number}(text = "few") }}
        case _ => {{}}
    }}
}}"#
        )
        .expect("a string takes any text");
    }
    text
}
