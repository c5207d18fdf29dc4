//! Random programs that compile. They complete, unless errors may be uncaught.

use std::fmt::Write as _;

const FACETS: &str = r#"namespace n {
    schema S { x: Json }
    event facet E(x: Json, fail: Json = null) => (x: Json)
    facet P(x: Json) => (x: Json)
    facet F(x: Json) => (x: Json) andThen {
        e = E(x = $.x)
        yield F(x = [e.x])
    }
    facet M(m: Json) => (r: Json) andThen {
        e = E(x = $.m)
        yield M(r = e.x)
    }
    facet G(x: Json) => (x: Json) with M(m = $.x) as m andThen { yield G(x = [$.m.r]) }
"#;

/// Ends blocks at this depth.
const DEPTH: usize = 3;

struct Generator<'c> {
    choices: std::slice::Iter<'c, u8>,
    names: usize,
    text: String,
    /// Whether a step may fail without a catch.
    uncaught: bool,
}

/// A program by these choices, in which each step that fails has a catch.
pub(crate) fn program(choices: &[u8]) -> String {
    generate(choices, false)
}

/// The same, in which a step may also fail without a catch.
pub(crate) fn failing_program(choices: &[u8]) -> String {
    generate(choices, true)
}

fn generate(choices: &[u8], uncaught: bool) -> String {
    let mut generator = Generator {
        choices: choices.iter(),
        names: 0,
        text: FACETS.to_owned(),
        uncaught,
    };
    generator.push("    workflow W() => (all: Json = \"none\", last: Json)");
    for _ in 0..=generator.choose(2) {
        generator.push(" andThen {\n");
        generator.block(0, &mut Vec::new());
        generator.push("}");
    }
    generator.push("\n}\n");
    generator.text
}

impl Generator<'_> {
    fn choose(&mut self, count: u8) -> u8 {
        self.choices.next().map_or(0, |choice| choice % count)
    }

    fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    /// Steps, then perhaps a yield. `known` are the values in scope.
    fn block(&mut self, depth: usize, known: &mut Vec<String>) {
        let outer = known.len();
        for _ in 0..=self.choose(3) {
            let step = self.name("s");
            let value = self.value(known);
            let kind = match depth < DEPTH {
                true => self.choose(9),
                false => self.choose(4),
            };
            let target = ["E", "S", "F", "G", "E", "E", "E", "P", "E"][usize::from(kind)];
            let fails = kind == 5 || (kind == 8 && self.uncaught);
            let fails = if fails { ", fail = \"no\"" } else { "" };
            let value = if kind == 6 {
                format!("[{value}, 2]")
            } else {
                value
            };
            writeln!(self.text, "{step} = {target}(x = {value}{fails})").expect("a string");
            let own = format!("{step}.x");
            match kind {
                4 => self.nested(" andThen {\n", depth, known, Some(own.clone())),
                5 => self.nested(" catch {\n", depth, known, Some(format!("{step}.error"))),
                6 => {
                    let variable = self.name("v");
                    let head = format!(" andThen foreach {variable} in {own} {{\n");
                    self.nested(&head, depth, known, Some(format!("$.{variable}")));
                }
                7 => {
                    let head = format!(" andThen when {{ case {own} == 1 => {{\n");
                    self.nested(&head, depth, known, Some("$.x".to_owned()));
                    self.nested("case _ => {\n", depth, known, None);
                    self.push("}\n");
                }
                _ => {}
            }
            known.push(own);
        }
        if self.choose(3) > 0 {
            let value = self.value(known);
            let all = if self.choose(2) == 0 { "all" } else { "last" };
            let value = if all == "all" {
                format!("[{value}]")
            } else {
                value
            };
            writeln!(self.text, "yield W({all} = {value})").expect("a string");
        }
        known.truncate(outer);
    }

    fn nested(&mut self, head: &str, depth: usize, known: &mut Vec<String>, own: Option<String>) {
        self.push(head);
        let outer = known.len();
        known.extend(own);
        self.block(depth + 1, known);
        known.truncate(outer);
        self.push("}\n");
    }

    fn value(&mut self, known: &[String]) -> String {
        let number = self.choose(3).to_string();
        let count = u8::try_from(known.len()).expect("few");
        if count == 0 {
            return number;
        }
        let one = known[usize::from(self.choose(count))].clone();
        match self.choose(5) {
            0 => number,
            1 => format!("[{one}, {number}]"),
            2 => format!("#{{ k: {one} }}"),
            3 => format!("{one} ++ \"t\""),
            _ => one,
        }
    }
}
