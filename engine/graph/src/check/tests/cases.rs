//! One case for each kind of finding: its path, its line and the nearest name.

use std::collections::BTreeSet;

use super::{found, report};
use crate::check::{Code, Known, Severity, check};
use crate::definition::{Definition, Name};
use crate::limits::Limits;
use crate::read::{Format, read};

type Expected = (Code, &'static str, usize, Option<&'static str>);

const fn at(code: Code, path: &'static str, line: usize) -> Expected {
    (code, path, line, None)
}

const fn near(code: Code, path: &'static str, line: usize, nearest: &'static str) -> Expected {
    (code, path, line, Some(nearest))
}

/// Cases of definitions that have the form of one. The head has three lines, and `a` is the entry.
fn cases() -> Vec<(&'static str, Vec<Expected>)> {
    vec![
        (
            "nodes:\n  a: {join_first: {}}\nedges:\n  - a -> aa\n  - {from: b, to: a}\n",
            vec![
                at(Code::SinglePath, "/nodes/a", 5),
                near(Code::UnknownNode, "/edges/0/to", 7, "a"),
                near(Code::UnknownNode, "/edges/1/from", 8, "a"),
            ],
        ),
        (
            "state:\n  drafts: {}\ninput: {required: [draft], optional: [drafts, xyz]}\nnodes:\n  a:\n    action: x\n    writes: {r: darfts}\n",
            vec![
                near(Code::UnknownKey, "/input/required/0", 6, "drafts"),
                at(Code::UnknownKey, "/input/optional/1", 6),
                near(Code::UnknownKey, "/nodes/a/writes/r", 10, "drafts"),
            ],
        ),
        (
            "state: {k: {}}\ninput: {required: [k], optional: [k]}\nnodes:\n  a: {agent: w, prompt: x, text: l}\n",
            vec![
                at(Code::Contradiction, "/input/optional/0", 5),
                near(Code::UnknownKey, "/nodes/a/text", 7, "k"),
            ],
        ),
        (
            "state: {k: {}}\nnodes:\n  a:\n    action: x\n    target: k\n    writes: {r: k}\n    reconcile: y\n",
            vec![
                at(Code::Contradiction, "/nodes/a/writes", 9),
                at(Code::Contradiction, "/nodes/a/reconcile", 10),
            ],
        ),
        (
            "nodes:\n  a:\n    action: x\n    run: worker\n    queue: q\n    deadline: 1m\n    retry: {within: 2m}\n",
            vec![
                at(Code::NoEffect, "/nodes/a/queue", 8),
                at(Code::NoEffect, "/nodes/a/retry/within", 10),
            ],
        ),
        (
            "nodes:\n  a: {agent: w}\n",
            vec![at(Code::MissingField, "/nodes/a", 5)],
        ),
        (
            "nodes:\n  a: {agent: w, prompt: x, messages: [{role: user, text: y}]}\n",
            vec![at(Code::Contradiction, "/nodes/a/messages", 5)],
        ),
        (
            "nodes:\n  a: {sleep: 2h}\n",
            vec![at(Code::SleepsPastDeadline, "/nodes/a/sleep", 5)],
        ),
        (
            "state:\n  a: {schema: {type: strin}}\n  b:\n    schema:\n      properties:\n        x: {pattern: '('}\nnodes:\n  a: {input: {message: m, schema: {minimum: x}, target: a}}\n",
            vec![
                at(Code::Schema, "/state/a/schema/type", 5),
                at(Code::Schema, "/state/b/schema/properties/x/pattern", 9),
                at(Code::Schema, "/nodes/a/input/schema/minimum", 11),
            ],
        ),
        (
            "state:\n  a: {schema: {type: integer}, initial: x}\n  b: {reduce: append, initial: {}}\n  c: {reduce: append, schema: {type: array, minItems: 1}}\n  d: {reduce: append, schema: {type: array, minItems: 1}}\ninput: {required: [d]}\nnodes:\n  a: {join_all: {}}\n",
            vec![
                at(Code::Initial, "/state/a/initial", 5),
                at(Code::Initial, "/state/b/initial", 6),
                at(Code::Initial, "/state/c", 7),
                at(Code::SinglePath, "/nodes/a", 11),
            ],
        ),
        (
            "state:\n  a: {reduce: append, schema: {type: integer}}\n  b: {reduce: sum, schema: {type: string}}\n  c: {reduce: max, schema: {type: boolean}}\ninput: {required: [a, b]}\nnodes:\n  a: {sleep: 1s}\n",
            vec![
                at(Code::Reducer, "/state/a/schema", 5),
                at(Code::Reducer, "/state/b/schema", 6),
                at(Code::Reducer, "/state/c/schema", 7),
            ],
        ),
        (
            "state: {n: {schema: {type: integer}}, t: {schema: {type: string}}, l: {reduce: append}}\nnodes:\n  a:\n    state:\n      n: 'state.n +'\n      t: 'stat.t'\n      l: 'siz(state.l)'\n",
            vec![
                at(Code::Expression, "/nodes/a/state/n", 8),
                near(Code::UnknownName, "/nodes/a/state/t", 9, "state"),
                near(Code::UnknownName, "/nodes/a/state/l", 10, "size"),
            ],
        ),
        (
            "state: {n: {schema: {type: integer}}, text: {schema: {type: string}}, o: {schema: {type: object, properties: {price: {}}, additionalProperties: false}}}\nnodes:\n  a:\n    state:\n      n: 'state.txt'\n      text: 'state.o.prize'\n      o: '1'\n  b: {action: x, with: {f: 'state.n + state.text', g: '!state.n', h: 'state.text.y', i: 'state.n < state.text'}}\nedges:\n  - {from: a, to: b, if: 'state.n'}\n  - {from: a, to: b, else: true}\n",
            vec![
                near(Code::UnknownKey, "/nodes/a/state/n", 8, "text"),
                near(Code::Type, "/nodes/a/state/text", 9, "price"),
                at(Code::Type, "/nodes/a/state/o", 10),
                at(Code::Type, "/nodes/b/with/f", 11),
                at(Code::Type, "/nodes/b/with/g", 11),
                at(Code::Type, "/nodes/b/with/h", 11),
                at(Code::Type, "/nodes/b/with/i", 11),
                at(Code::Type, "/edges/0/if", 13),
            ],
        ),
        (
            "state: {n: {schema: {type: integer}}, when: {schema: {type: integer}}}\nnodes:\n  a: {sleep: {until: state.when}}\n  b: {map: {over: state.n, definition: {cel: '1'}, input: {k: itm}}}\n  c: {child: {definition: x, init: {from: 'state.n'}}}\nedges: [a -> b, a -> c]\n",
            vec![
                at(Code::Type, "/nodes/a/sleep/until", 6),
                at(Code::Type, "/nodes/b/map/over", 7),
                at(Code::Type, "/nodes/b/map/definition/cel", 7),
                near(Code::UnknownName, "/nodes/b/map/input/k", 7, "item"),
                at(Code::Type, "/nodes/c/child/init/from", 8),
            ],
        ),
        (
            "state: {n: {schema: {type: integer}}, list: {schema: {type: array, items: {type: object, properties: {sku: {}}, additionalProperties: false}}}}\nnodes:\n  a: {input: {message: m, schema: {type: boolean}, target: n}}\n  b: {agent: w, prompt: 'x', text: n, structured: {key: n, schema: {type: string}}}\n  c: {map: {over: state.list, definition: x, input: {k: item.skuu}}}\nedges:\n  - {from: a, to: b, if: result.vlaue}\n  - {from: a, to: c, if: '!result.value'}\n  - {from: a, to: c, else: true}\n",
            vec![
                at(Code::Type, "/nodes/a/input/target", 6),
                at(Code::Type, "/nodes/b/text", 7),
                at(Code::Type, "/nodes/b/structured/key", 7),
                near(Code::Type, "/nodes/c/map/input/k", 8, "sku"),
                near(Code::Type, "/edges/0/if", 10, "value"),
            ],
        ),
        (
            "state: {question: {}}\nnodes:\n  a: {agent: w, prompt: 'Q {{ state.question'}\n  b: {agent: w, prompt: 'Q {{ state.queston }}'}\n  c: {input: {message: 'Q {{ result.x }}', target: question}}\n  d: {agent: w, messages: [{role: user, text: '{{ 1 + }}'}]}\nedges: [a -> b, b -> c, c -> d]\n",
            vec![
                at(Code::Template, "/nodes/a/prompt", 6),
                near(Code::UnknownKey, "/nodes/b/prompt", 7, "question"),
                at(Code::UnknownName, "/nodes/c/input/message", 8),
                at(Code::Template, "/nodes/d/messages/0/text", 9),
            ],
        ),
        (
            "state: {k: {}}\nnodes:\n  a:\n    child:\n      definition: x\n      reduce: {'a..b': k, total: k}\n",
            vec![at(Code::Path, "/nodes/a/child/reduce/a..b", 9)],
        ),
        (
            "nodes:\n  a: {action: x}\n  b: {action: x}\n  c: {action: x}\nedges: [b -> c]\n",
            vec![
                at(Code::Unreachable, "/nodes/b", 6),
                at(Code::Unreachable, "/nodes/c", 7),
            ],
        ),
        (
            "state: {n: {}}\nnodes: {a: {action: x}, b: {action: x}, c: {action: x}}\nedges:\n  - {from: a, to: b, if: state.n > 1}\n  - {from: a, to: c, if: state.n < 1}\n",
            vec![at(Code::NoElse, "/edges/0", 7)],
        ),
        (
            "nodes: {a: {action: x}, b: {action: x}, c: {action: x}}\nedges:\n  - a -> b\n  - {from: a, to: c, else: true}\n",
            vec![at(Code::ElseNeverTaken, "/edges/1", 7)],
        ),
        (
            "nodes:\n  a: {action: x}\n  b: {join_all: {}}\nedges: [a -> b]\n",
            vec![at(Code::SinglePath, "/nodes/b", 6)],
        ),
        (
            "nodes:\n  a: {action: x}\n  b: {action: x}\n  j: {join_all: {}}\n  k: {join_first: {}}\nedges: [a -> j, a -> b, b -> j, j -> k, b -> k, k -> j]\n",
            vec![at(Code::MutualJoins, "/nodes/j", 7)],
        ),
        (
            "state: {k: {}, l: {reduce: append}}\nnodes:\n  a: {action: x}\n  b: {action: x, target: k}\n  c: {state: {k: '1', l: '1'}}\n  d: {state: {l: '2'}}\nedges: [a -> b, a -> c, a -> d]\n",
            vec![at(Code::ConflictingWrites, "/nodes/b", 7)],
        ),
        (
            "nodes:\n  a: {child: {definition: t}}\n",
            vec![at(Code::ChildCycle, "/nodes/a/child/definition", 5)],
        ),
        (
            "nodes:\n  a: {action: x, deadline: 366d}\n",
            vec![at(Code::Limit, "/nodes/a/deadline", 5)],
        ),
    ]
}

#[test]
fn d2_each_finding_has_its_path_its_line_and_the_nearest_name() {
    for (text, expected) in cases() {
        let text = format!("graph: 1\nid: t\nentry: [a]\n{text}");
        let report = report(&text);
        let mut expected = expected;
        expected.sort_by_key(|(code, path, line, _)| (*line, *path, *code));
        let mut actual = found(&report);
        actual.sort_by_key(|(code, path, line, _)| (*line, *path, *code));
        assert_eq!(actual, expected, "{text}\n{:#?}", report.findings);
    }
}

#[test]
fn d2_every_code_has_a_case() {
    let mut covered: BTreeSet<Code> = cases()
        .into_iter()
        .flat_map(|(_, expected)| expected)
        .map(|case| case.0)
        .collect();
    // Unreadable and the codes of form have tests of their own, and so does the entangled graph.
    covered.extend([
        Code::Unreadable,
        Code::Form,
        Code::UnknownField,
        Code::Entangled,
    ]);
    let missing: Vec<_> = Code::ALL
        .iter()
        .filter(|code| !covered.contains(code))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
    let names: BTreeSet<_> = Code::ALL.iter().map(|code| code.name()).collect();
    assert_eq!(names.len(), Code::ALL.len());
}

#[test]
fn the_example_of_the_reference_has_no_finding() {
    let text = r#"
graph: 1
id: support.answer
state:
  question: {schema: {type: string}}
  drafts:   {reduce: append, initial: []}
  approved: {schema: {type: boolean}, initial: false}
  rounds:   {reduce: sum, initial: 0}
input: {required: [question]}
entry: [draft]
nodes:
  draft:  {agent: writer, prompt: "Answer: {{ state.question }}", text: drafts, deadline: 10m, retry: {attempts: 3}}
  count:  {state: {rounds: "1"}}
  ask:    {input: {message: "Good enough?", schema: {type: boolean}, target: approved}, deadline: 3d}
  send:   {action: mail.send, with: {text: "state.drafts[size(state.drafts) - 1]"}, deadline: 1m}
edges:
  - draft -> count
  - count -> ask
  - {from: ask, to: draft, if: "!state.approved && state.rounds < 5"}
  - {from: ask, to: send, else: true}
"#;
    let report = report(text);
    assert_eq!(report.findings, []);
    assert!(report.is_valid() && report.definition.is_some());
}

#[test]
fn a_text_that_cannot_be_read_has_one_finding_with_its_place() {
    let report = report("graph: 1\nid: [\n");
    let [finding] = report.findings.as_slice() else {
        panic!("{:?}", report.findings)
    };
    assert_eq!(
        (finding.code, finding.severity()),
        (Code::Unreadable, Severity::Error)
    );
    assert!(finding.place.is_some() && report.definition.is_none() && !report.is_valid());
}

#[test]
fn warnings_and_notes_leave_a_definition_valid() {
    let report = report("graph: 1\nid: t\nentry: [a]\nnodes: {a: {action: x}, b: {action: x}}\n");
    assert_eq!(found(&report), [at(Code::Unreachable, "/nodes/b", 4)]);
    assert!(report.is_valid());
}

#[test]
fn a_finding_is_shown_in_one_line_with_all_it_has() {
    let report = report("graph: 1\nid: t\nentry: [bb]\nnodes: {b: {action: x}}\n");
    let shown: Vec<_> = report.findings.iter().map(ToString::to_string).collect();
    assert_eq!(
        shown[0],
        "no node has the id \"bb\"; the nearest known name is \"b\": code=unknown-node, \
        path=\"/entry/0\", line=3, column=9"
    );
}

struct Shelf(Vec<Definition>);

impl Known for Shelf {
    fn definition(&self, id: &Name) -> Option<Definition> {
        self.0
            .iter()
            .find(|definition| definition.id == *id)
            .cloned()
    }
}

fn parse(text: &str) -> Definition {
    serde_json::from_value(read(text, Format::Yaml).expect("YAML").value).expect("a definition")
}

#[test]
fn a_cycle_over_several_definitions_is_found_unless_a_condition_is_in_it() {
    let first = "graph: 1\nid: one\nentry: [a]\nnodes: {a: {pipeline: {children: [{definition: x}, {definition: two}]}}}\n";
    let second = |edge: &str| {
        format!(
            "graph: 1\nid: two\nentry: [s]\nnodes: {{s: {{sleep: 1s}}, a: {{map: {{over: '[1]', definition: one}}}}, b: {{sleep: 1s}}}}\nedges: [{edge}]\n"
        )
    };
    let codes = |text: &str| {
        let shelf = Shelf(vec![parse(text)]);
        let report = check(first, Format::Yaml, &Limits::default(), &shelf);
        report
            .findings
            .iter()
            .map(|finding| (finding.code, finding.path.clone()))
            .collect::<Vec<_>>()
    };
    let cycle = vec![(
        Code::ChildCycle,
        "/nodes/a/pipeline/children/1/definition".to_owned(),
    )];
    assert_eq!(codes(&second("s -> a, s -> b")), cycle);
    assert_eq!(codes(&second("{from: s, to: a, if: 'true'}, s -> b")), []);
}
