//! Input that nobody would write on purpose: it is refused or accepted, without a panic, and each
//! refusal has a path.

#![cfg(all(feature = "yaml", feature = "toml"))]

use std::sync::Arc;

use millpond_graph::check::{Code, check, check_json};
use millpond_graph::definition::{Definition, Expression, NodeId, Schema, Template, canonical};
use millpond_graph::express::{self, Compiled, Names, Scope};
use millpond_graph::program::{Output, Program};
use millpond_graph::read::{Format, Places, read};
use millpond_graph::state::{self, State};
use millpond_graph::{Limits, draw};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

const DEFINITION: &str = r#"
graph: 1
id: support.answer
doc: "Answers."
state:
  question: {schema: {type: string, maxLength: 100}}
  drafts: &list {reduce: append, initial: []}
  tags: {reduce: set}
  total: {reduce: sum, initial: 18446744073709551615}
  best: {reduce: max, schema: {type: number}}
input: {required: [question], optional: [tags]}
entry: [draft, nap]
nodes:
  draft: {agent: writer, prompt: "Answer: {{ state.question }}", text: drafts, deadline: 10m, retry: {attempts: 3, factor: 1.5}}
  nap: {sleep: {until: "state.question"}}
  count: {state: {total: "1", best: "state.total"}}
  ask: {input: {message: "Good?", schema: {type: boolean}, target: question}}
  pay: {action: bank.pay, with: {all: "state", n: "size(state.drafts)"}, writes: {r: tags}, at_most_once: true}
  each: {map: {over: "state.drafts", definition: {cel: "state.question"}, input: {i: "index", x: "item"}, reduce: {a.0.b: drafts}}}
  line: {pipeline: {children: [{definition: a}, {definition: b, input: {k: "1"}}]}}
  meet: {join_all: {}}
edges:
  - draft -> count
  - nap -> count
  - {from: count, to: ask, if: "state.total > 5 && has(state.best)"}
  - {from: count, to: meet, else: true}
  - {from: ask, to: pay, if: "result.value"}
  - {from: ask, to: each, if: "!result.value"}
  - pay -> line
  - each -> meet
  - line -> meet
"#;

fn whole() -> Value {
    read(DEFINITION, Format::Yaml)
        .expect("the definition is YAML")
        .value
}

/// Runs everything that takes a definition.
fn exercise(definition: Definition) {
    let text = definition.canonical();
    let again: Definition = serde_json::from_str(&text).expect("a canonical form is a definition");
    assert_eq!(again.revision(), definition.revision());
    assert!(
        draw::mermaid(&definition, &draw::Marks::default()).starts_with("---")
            && draw::dot(&definition, &draw::Marks::default()).starts_with("digraph")
    );
    if let Ok(program) = Program::compile(Arc::new(definition), &Limits::default()) {
        run(&program, &State::new(), &json!({"value": true}));
    }
}

/// Runs every function of a program on a state and a value.
fn run(program: &Program, state: &State, value: &Value) {
    let output = Output {
        output: "x".into(),
        structured_output: Some(value.clone()),
        usage: None,
    };
    for node in program.definition().nodes.keys() {
        let _ = program.begin(node, state);
        let _ = program.action(node, value.clone());
        let _ = program.agent(node, &output);
        let _ = program.answer(node, value.clone());
        let _ = program.children(node, std::slice::from_ref(state));
        let _ = program.pipeline(node, &[state.clone(), state.clone()]);
    }
    for edge in 0..program.definition().edges.len() {
        let _ = program.condition(edge, state, value);
    }
}

/// Any JSON, with words of definitions among its texts.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_filter_map("finite", |float| serde_json::Number::from_f64(float)
            .map(Value::Number)),
        word().prop_map(Value::from),
        "\\PC{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((word(), inner), 0..4).prop_map(|fields| Value::Object(
                fields
                    .into_iter()
                    .map(|(name, value)| (name.to_owned(), value))
                    .collect::<Map<_, _>>()
            )),
        ]
    })
}

fn word() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "graph",
        "id",
        "state",
        "nodes",
        "edges",
        "entry",
        "input",
        "action",
        "agent",
        "sleep",
        "child",
        "map",
        "pipeline",
        "join_all",
        "from",
        "to",
        "if",
        "else",
        "schema",
        "reduce",
        "initial",
        "required",
        "optional",
        "with",
        "target",
        "writes",
        "definition",
        "cel",
        "over",
        "tasks",
        "limit",
        "history",
        "init",
        "checkpoint",
        "a",
        "draft",
        "question",
        "a -> b",
        "state.question",
        "{{ state.x }}",
        "5m",
        "$ref",
        "#",
        "allOf",
        "type",
        "object",
        "properties",
        "append",
        "set",
        "~/",
        "",
    ])
}

/// Pieces of which expressions are made.
fn piece() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "state",
        ".n",
        ".list",
        ".text",
        ".map",
        "[0]",
        "['a']",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "'a'",
        "\"",
        "1",
        "-1",
        "1u",
        "1.5",
        "9223372036854775807",
        "0",
        "true",
        "null",
        " + ",
        " - ",
        " * ",
        " / ",
        " % ",
        " == ",
        " < ",
        " in ",
        " && ",
        " || ",
        "!",
        " ? ",
        " : ",
        ", ",
        "size(",
        "string(",
        "int(",
        "has(state.n)",
        ".map(x, ",
        ".filter(x, ",
        ".all(x, ",
        ".exists(x, ",
        "x",
        ".contains('a')",
        "{'k': ",
        "b'\\xff'",
        "r'\\'",
        "// c\n",
        "ü",
        "\u{0}",
        ".",
        "dyn(",
        "{{",
        "}}",
    ])
}

fn values() -> State {
    serde_json::from_value(json!({"n": 5, "list": [1, "a", null, {"a": 2}], "text": "abc", "map": {"b": 1, "a": [2.5]}}))
        .expect("a state")
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn l2_a_definition_with_a_part_replaced_is_checked_without_a_panic(
        seed in any::<prop::sample::Index>(), part in any_json()
    ) {
        let mut value = whole();
        let mut list = Vec::new();
        pointers(&value, String::new(), &mut list);
        *value.pointer_mut(&list[seed.index(list.len())]).expect("the pointer is of this value") = part;
        let report = check_json(&value, &Places::default(), &Limits::default(), &());
        prop_assert!(report.definition.is_some() || !report.is_valid());
        for finding in &report.findings {
            prop_assert!(finding.path.is_empty() || finding.path.starts_with('/'), "{}", finding);
            prop_assert!(!finding.to_string().is_empty());
        }
        if let Some(definition) = report.definition {
            exercise(definition);
        }
    }

    #[test]
    fn l2_any_json_is_no_reason_to_panic(value in any_json()) {
        let report = check_json(&value, &Places::default(), &Limits::default(), &());
        prop_assert!(!report.is_valid(), "a definition by chance: {}", value);
        let text = canonical(&value);
        prop_assert_eq!(canonical(&serde_json::from_str(&text).expect("canonical JSON is JSON")), text);
    }

    #[test]
    fn d1_json_gives_the_same_if_it_is_read_as_yaml(value in any_json(), pretty in any::<bool>()) {
        let text = if pretty { format!("{value:#}") } else { value.to_string() };
        let json = read(&text, Format::Json).expect("it is JSON");
        prop_assert_eq!(canonical(&json.value), canonical(&value));
        let yaml = read(&text, Format::Yaml).map_err(|error| TestCaseError::fail(format!("{error}: {text}")))?;
        prop_assert_eq!(canonical(&yaml.value), canonical(&value));
        if !pretty {
            prop_assert_eq!(yaml.places, json.places, "{}", text);
        }
    }

    #[test]
    fn l2_a_text_with_a_part_cut_or_changed_is_checked_without_a_panic(
        at in any::<prop::sample::Index>(), length in 0_usize..40, with in "\\PC{0,6}|[\\[\\]{}:,&*!|>'\"\n\t -]{0,6}", json in any::<bool>()
    ) {
        let (text, format) = if json { (whole().to_string(), Format::Json) } else { (DEFINITION.to_owned(), Format::Yaml) };
        let mut characters: Vec<char> = text.chars().collect();
        let from = at.index(characters.len());
        let to = (from + length).min(characters.len());
        characters.splice(from..to, with.chars());
        let text: String = characters.into_iter().collect();
        for format in [format, Format::Toml] {
            let report = check(&text, format, &Limits::default(), &());
            for finding in &report.findings {
                let place = finding.place;
                prop_assert!(place.is_none_or(|place| place.line >= 1 && place.column >= 1));
                prop_assert!(place.is_some() || finding.code == Code::Unreadable, "{}", finding);
            }
            if let Some(definition) = report.definition {
                exercise(definition);
            }
        }
    }

    #[test]
    fn l2_any_pieces_of_cel_are_compiled_and_evaluated_without_a_panic(pieces in prop::collection::vec(piece(), 0..14)) {
        let source = pieces.concat();
        let state = values();
        let item = json!({"a": 1});
        for names in [Names::State, Names::Item] {
            if let Ok(compiled) = Compiled::compile(&Expression::new(source.as_str()), names, &Limits::default()) {
                let scope = Scope::of(&state).with_item(&item, 3);
                let first = compiled.evaluate(&scope);
                prop_assert_eq!(&first, &compiled.evaluate(&scope), "the same values give the same: {}", source);
            }
        }
        if let Ok(template) = express::Template::compile(&Template::new(source.as_str()), &Limits::default()) {
            let _ = template.render(&Scope::of(&state));
        }
    }

    #[test]
    fn l2_an_expression_without_a_finding_of_types_is_no_reason_to_panic(pieces in prop::collection::vec(piece(), 1..10)) {
        let source = Expression::new(pieces.concat());
        if let Ok(parsed) = express::Parsed::parse(&source, Names::State, &Limits::default()) {
            let object = |fields: Value| express::Type::of_schema(&json!({"type": "object", "properties": fields, "additionalProperties": false}));
            let types = express::Types {
                state: object(json!({"n": {"type": "integer"}, "text": {"type": "string"}, "list": {"type": "array"}, "map": {"type": "object"}})),
                result: express::Type::Any,
                item: express::Type::Any,
            };
            let (_, findings) = parsed.infer(&types);
            let outcome = Compiled::compile(&source, Names::State, &Limits::default()).expect("it was parsed").evaluate(&Scope::of(&values()));
            // A certain finding is never in an expression whose parts are all computed.
            let lazy = ["?", "&&", "||", ".all(", ".exists(", ".map(", ".filter(", "has("].iter().any(|part| source.as_str().contains(part));
            prop_assert!(lazy || findings.is_empty() || outcome.is_err(), "{}: {:?} but {:?}", source, findings, outcome);
        }
    }

    #[test]
    fn l2_states_and_answers_of_any_form_are_refused_or_valid(input in any_json(), answer in any_json()) {
        let definition: Definition = serde_json::from_value(whole()).expect("the definition is valid");
        let program = Program::compile(Arc::new(definition), &Limits::default()).expect("it compiles");
        let input = input.as_object().cloned().unwrap_or_default();
        for made in [program.shape().start(&input), program.shape().whole(&input)] {
            match made {
                Ok(state) => run(&program, &state, &answer),
                Err(error) => prop_assert!(!error.to_string().is_empty()),
            }
        }
        let ask = NodeId::parse("ask").expect("an id");
        prop_assert_eq!(program.answer(&ask, answer.clone()).is_ok(), false, "the key takes text and the node booleans");
    }

    #[test]
    fn l2_a_schema_of_any_form_is_compiled_or_refused_with_a_path(schema in any_json(), value in any_json()) {
        if let Some(schema) = Schema::new(schema) {
            match state::Schema::compile(&schema) {
                Ok(compiled) => {
                    let first = compiled.validate(&value);
                    prop_assert_eq!(&first, &compiled.validate(&value));
                }
                Err(error) => prop_assert!(error.path.is_empty() || error.path.starts_with('/'), "{}", error),
            }
        }
    }
}

fn pointers(value: &Value, at: String, list: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                pointers(field, millpond_graph::pointer::field(&at, name), list);
            }
        }
        Value::Array(elements) => {
            for (index, element) in elements.iter().enumerate() {
                pointers(element, format!("{at}/{index}"), list);
            }
        }
        _ => {}
    }
    list.push(at);
}
