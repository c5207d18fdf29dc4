//! Limits: each is exceeded with a typed error, and what is within it works.

use std::fmt::Write as _;

use millpond_ffl::check::MAX_DECLARATIONS;
use millpond_ffl::diag::{Code, located};
use millpond_ffl::form::{Declaration, Expr};
use millpond_ffl::json::{Detail, ReadError, emit, lower, read};
use millpond_ffl::parse::{MAX_DEPTH, parse};
use millpond_ffl::program::{Compiled, compile};
use millpond_ffl::source::{Origin, Sources};
use millpond_ffl::value::{
    LimitError, MAX_VALUE, MAX_VALUE_DEPTH, Problem, Scope, Value, evaluate,
};

fn sources_of(text: &str) -> Sources {
    let mut sources = Sources::new();
    sources
        .add("case.ffl", Origin::Primary, text)
        .expect("within the limit");
    sources
}

fn compiled(text: &str) -> Compiled {
    compile(&sources_of(text), Detail::FULL).expect("no errors")
}

fn facets(count: usize) -> String {
    let mut text = String::new();
    for at in 0..count {
        writeln!(text, "facet F{at}()").expect("a string takes any text");
    }
    text
}

#[test]
fn k1_a_program_has_a_limit_of_declarations_in_all_files_together() {
    compiled(&facets(MAX_DECLARATIONS));
    let mut sources = sources_of(&facets(MAX_DECLARATIONS));
    sources
        .add(
            "more.ffl",
            Origin::Primary,
            "\nnamespace a { facet F() facet G() }",
        )
        .expect("within the limit");
    let refused = compile(&sources, Detail::FULL).expect_err("too many");
    let [only] = refused.as_slice() else {
        panic!("one error, not {refused:?}");
    };
    assert_eq!(only.code, Code::E010);
    let place = &located(&refused, &sources)[0].span;
    assert_eq!(
        (place.file.as_str(), place.line, place.column),
        ("more.ffl", 2, 21)
    );
    assert!(only.message.ends_with("limit=10000"), "{}", only.message);
}

#[test]
fn k1_a_form_has_the_same_limit_of_declarations() {
    let program = compiled(&facets(MAX_DECLARATIONS)).program;
    assert_eq!(read(emit(&program).as_bytes()).as_ref(), Ok(&program));
    let mut larger = program;
    let again = larger.declarations[0].clone();
    larger.declarations.push(again);
    let refused = read(emit(&larger).as_bytes());
    assert_eq!(
        refused,
        Err(ReadError::TooManyDeclarations { limit: 10_000 })
    );
}

/// A text in which each level is a `when` in the body of a step: of all texts of that depth, it has
/// the deepest form.
fn nested_bodies(levels: u32) -> String {
    let mut text = "facet F() facet G() andThen {".to_owned();
    for level in 0..levels {
        write!(text, " s{level} = F() andThen when {{ case true => {{").expect("a string");
    }
    text + &" } case _ => { } }".repeat(levels as usize) + " }"
}

#[test]
fn k1_the_deepest_text_compiles_and_its_form_can_be_read_back() {
    let program = compiled(&nested_bodies(MAX_DEPTH - 1)).program;
    assert_eq!(read(emit(&program).as_bytes()), Ok(program));
    let refused = compile(&sources_of(&nested_bodies(MAX_DEPTH)), Detail::FULL);
    let refused = refused.expect_err("too deep");
    assert_eq!(refused[0].code, Code::E009);
}

#[test]
fn k1_a_form_that_nests_too_deeply_is_refused_before_it_is_read() {
    let deep = "[".repeat(1_000_000);
    assert_eq!(read(deep.as_bytes()), Err(ReadError::TooDeep));
    let in_a_string = format!("\"{deep}\\\"{deep}\"");
    let refused = read(in_a_string.as_bytes());
    assert!(
        matches!(refused, Err(ReadError::Unexpected { .. })),
        "{refused:?}"
    );
}

struct Inputs(Value);

impl Scope for Inputs {
    fn input(&self, _: &str) -> Option<Value> {
        Some(self.0.clone())
    }

    fn step(&self, _: &str, _: &str) -> Option<Value> {
        None
    }
}

fn value_of(expression: &str, input: Value) -> Result<Value, Problem> {
    let sources = sources_of(&format!("facet F(x: Json = {expression})"));
    let (id, _) = sources.iter().next().expect("one text");
    let parsed = parse(&sources, id);
    assert_eq!(parsed.diagnostics, [], "{expression}");
    let program = lower(&[parsed.file], &sources, Detail::FULL);
    let Some(Declaration::Facet(facet)) = program.declarations.first() else {
        panic!("no facet in {expression}");
    };
    let default: &Expr = facet.params[0].default.as_ref().expect("a default");
    evaluate(default, &Inputs(input)).map_err(|error| {
        assert!(error.location.is_some(), "{error}");
        error.problem
    })
}

fn nested(depth: usize) -> Value {
    (0..depth).fold(Value::Null, |inner, _| Value::from(vec![inner]))
}

#[test]
fn k1_a_value_has_a_limit_of_nesting() {
    let deepest = nested(MAX_VALUE_DEPTH);
    assert_eq!(value_of("$.v", deepest.clone()), Ok(deepest.clone()));
    let too_deep = Err(Problem::Limit(LimitError::TooDeep));
    assert_eq!(value_of("[$.v]", deepest.clone()), too_deep);
    assert_eq!(value_of("#{k: $.v}", deepest.clone()), too_deep);
    assert!(value_of("[$.v]", nested(MAX_VALUE_DEPTH - 1)).is_ok());
    let json = deepest.to_json();
    assert_eq!(Value::from_json(&json), Ok(deepest));
    let refused = Value::from_json(&serde_json::json!([json]));
    assert_eq!(refused, Err(LimitError::TooDeep));
}

#[test]
fn k1_a_value_has_a_limit_of_size() {
    let half = Value::from("x".repeat(MAX_VALUE / 2));
    assert!(
        value_of("$.v ++ $.v", half.clone()).is_err(),
        "with its quotes it is larger"
    );
    let less = Value::from("x".repeat(MAX_VALUE / 2 - 1));
    assert!(value_of("$.v ++ $.v", less.clone()).is_ok());
    let too_large = Err(Problem::Limit(LimitError::TooLarge));
    assert_eq!(value_of("$.v ++ $.v ++ $.v", less), too_large);
    assert_eq!(value_of("[$.v, $.v]", half.clone()), too_large);
    assert_eq!(value_of("\"\" ++ [$.v, $.v, $.v]", half.clone()), too_large);
    let json = serde_json::json!([half.to_json(), half.to_json()]);
    assert_eq!(Value::from_json(&json), Err(LimitError::TooLarge));
}

#[test]
fn a_value_that_shares_its_parts_cannot_grow_without_bound() {
    // Each step doubles the text, but adds only two references.
    let mut value = Value::from("x");
    let grown = (0..64).try_for_each(|_| {
        value = value_of("[$.v, $.v]", value.clone())?;
        Ok::<_, Problem>(())
    });
    assert_eq!(grown, Err(Problem::Limit(LimitError::TooLarge)));
}

#[test]
fn l7_a_large_program_on_one_line_compiles_in_time_in_proportion_to_its_length() {
    // Each of 400,000 places would otherwise count the characters before it: minutes.
    let step = "s = F(x = [1, 2.5, \"\u{e9}\"]) andThen { yield G(r = s.x) } ";
    let declaration = |at: usize| {
        format!(
            "facet G{at}(r: Json) => (r: Json) andThen {{ {} }} ",
            step.replace("G(", &format!("G{at}("))
        )
    };
    let text: String = (0..MAX_DECLARATIONS - 1).map(declaration).collect();
    let text = "facet F(x: Json) ".to_owned() + &text;
    assert!(!text.contains('\n') && text.len() > 1_000_000);
    let program = compiled(&text).program;
    assert_eq!(program.declarations.len(), MAX_DECLARATIONS);
}

/// A declaration that repeats a part, and a text that refers to it many times: the checks take time
/// in proportion to the text, not to its square.
#[test]
fn l7_the_checks_of_large_declarations_end() {
    const MANY: usize = 20_000;
    let list = |part: &dyn Fn(usize) -> String, separator: &str| {
        (0..MANY).map(part).collect::<Vec<_>>().join(separator)
    };
    let params = list(&|at| format!("p{at}: Json"), ", ");
    let steps = |step: &str| list(&|at| step.replace('#', &at.to_string()), " ");
    let cases = [
        (
            "missing arguments",
            format!(
                "facet F({params}) facet G() andThen {{ {} }}",
                steps("s# = F()")
            ),
        ),
        (
            "unknown arguments",
            format!(
                "facet F({params}) facet G() andThen {{ {} }}",
                steps("s# = F(q = 1)")
            ),
        ),
        (
            "all arguments",
            format!(
                "facet F({params}) facet G() andThen {{ s = F({}) }}",
                list(&|at| format!("p{at} = 1"), ", ")
            ),
        ),
        (
            "defaults",
            format!(
                "facet F({})",
                list(&|at| format!("p{at}: Json = $.x"), ", ")
            ),
        ),
        (
            "inputs",
            format!(
                "facet M(x: Json) facet F({params}) andThen {{ {} }}",
                steps("s# = M(x = [$.p1, $.q])")
            ),
        ),
        (
            "scopes",
            format!(
                "facet F({params}) facet G() andThen {{ {} }}",
                steps("s# = F() andThen { }")
            ),
        ),
        (
            "returns",
            format!(
                "facet M(x: Json) facet F() => ({params}) facet G() andThen {{ f = F() {} }}",
                steps("s# = M(x = [f.p1, f.q])")
            ),
        ),
        (
            "fields",
            format!(
                "namespace n {{ schema S {{ {params} }} facet G(x: S) andThen {{ {} }} }}",
                steps("s# = S(p1 = $.x.p1, q = $.x.q)")
            ),
        ),
        (
            "mixins of a signature",
            format!(
                "facet M() facet F() {} andThen {{ {} }}",
                list(&|at| format!("with M() as m{at}"), " "),
                steps("s# = F() andThen { yield x() }")
            ),
        ),
        (
            "mixins of a call",
            format!(
                "facet M(x: Json = 1) => (y: Int) facet F() andThen {{ m = M() {} {} }}",
                list(&|at| format!("with M() as m{at}"), " "),
                steps("s# = M(x = m.z)")
            ),
        ),
        (
            "flat mixins",
            format!(
                "facet M({params}) facet F() andThen {{ {} }}",
                steps("s# = F() with M()")
            ),
        ),
        (
            "yields",
            format!(
                "namespace n {{ facet F() andThen {{ {} }} }}",
                list(&|_| "yield n.F()".to_owned(), " ")
            ),
        ),
        (
            "steps",
            format!(
                "facet F(x: Json = 1) andThen when {{ case _ => {{ {} }} }}",
                steps("s# = F(x = s0.x) t = F(x = u.x)")
            ),
        ),
        (
            "blocks",
            format!(
                "facet F(x: Json = 1) facet G() {}",
                list(
                    &|_| "andThen { s = F(x = t.x) } andThen when { case _ => { u = F(x = s.x) } }"
                        .to_owned(),
                    " "
                )
            ),
        ),
        (
            "imports",
            format!(
                "namespace n {{ {} facet F() andThen {{ {} }} }}",
                list(&|at| format!("use n{at}"), " "),
                steps("s# = Missing()")
            ),
        ),
        (
            "placeholders",
            format!(
                "event facet E() prompt {{ template \"{}\" }}",
                "{a".repeat(MANY * 20)
            ),
        ),
        (
            "candidates",
            format!(
                "{} namespace n {{ facet G() andThen {{ {} }} }}",
                (0..4_000)
                    .map(|at| format!("namespace n{at} {{ facet F() }}"))
                    .collect::<String>(),
                steps("s# = F()")
            ),
        ),
    ];
    for (title, text) in cases {
        println!("{title}, {} bytes", text.len()); // the last one named is the one that does not end
        let sources = sources_of(&text);
        match compile(&sources, Detail::default()) {
            Ok(compiled) => assert!(compiled.warnings.len() <= MANY * 3, "{title}"),
            Err(errors) => {
                let of_parser = |code: Code| code.as_str() < "E100";
                assert!(
                    errors.iter().all(|error| !of_parser(error.code)),
                    "{title}: {errors:?}"
                );
                let bytes: usize = errors.iter().map(|error| error.message.len()).sum();
                assert!(
                    bytes < text.len() * 20,
                    "{title}: {bytes} bytes of messages"
                );
            }
        }
    }
}
