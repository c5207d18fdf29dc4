//! Several texts as one program: order, namespaces, libraries, provenance, digests.

use std::collections::BTreeSet;

use millpond_ffl::diag::{Code, located};
use millpond_ffl::form::{BlockKind, Body, Declaration, Facet, Program};
use millpond_ffl::json::{Detail, Document, EDITION, FORMAT, ReadError, emit, read};
use millpond_ffl::program::{
    FormIndex, Found, Library, References, Site, SourceDigest, compile, digest,
};
use millpond_ffl::source::{MAX_TEXT, Origin, SourceError, Sources};
use serde_json::{Value, json};

fn sources_of(texts: &[(&str, &str)]) -> Sources {
    let mut sources = Sources::new();
    for (name, text) in texts {
        sources
            .add(name, Origin::Primary, text)
            .expect("within the limit");
    }
    sources
}

fn program_of(sources: &Sources) -> Program {
    let compiled = compile(sources, Detail::FULL);
    compiled
        .unwrap_or_else(|errors| panic!("{errors:#?}"))
        .program
}

/// The names of the declarations of a scope, each with its type.
fn names(declarations: &[Declaration]) -> Vec<String> {
    let name = |declaration: &Declaration| {
        let json = serde_json::to_value(declaration).expect("plain data");
        format!(
            "{} {}",
            json["type"].as_str().expect("a type"),
            json["name"].as_str().expect("a name")
        )
    };
    declarations.iter().map(name).collect()
}

fn facet<'p>(program: &'p Program, name: &str) -> &'p Facet {
    let found = program
        .declarations
        .iter()
        .find_map(|declaration| match declaration {
            Declaration::Facet(facet) if facet.name == name => Some(facet),
            _ => None,
        });
    found.expect("the facet is at the top level")
}

#[test]
fn l10_several_texts_are_one_program_in_the_order_given() {
    let sources = sources_of(&[
        (
            "b.ffl",
            "event facet E() facet F() namespace n { workflow W() facet A() } implicit i = F()",
        ),
        (
            "a.ffl",
            "facet G() namespace m { schema S { x: Int } } namespace n { facet B() }",
        ),
    ]);
    let program = program_of(&sources);
    let expected = [
        "Namespace n",
        "Namespace m",
        "Namespace n",
        "FacetDecl F",
        "FacetDecl G",
        "EventFacetDecl E",
        "ImplicitDecl i",
    ];
    assert_eq!(names(&program.declarations), expected);
    let Declaration::Namespace(first) = &program.declarations[0] else {
        panic!("a namespace");
    };
    assert_eq!(
        names(&first.declarations),
        ["FacetDecl A", "WorkflowDecl W"]
    );
}

#[test]
fn l10_blocks_of_one_namespace_are_one_namespace_for_names_with_their_own_doc_and_use() {
    let sources = sources_of(&[
        (
            "a.ffl",
            "/** one */ namespace n { use m facet F() andThen { s = Far() t = G() } }",
        ),
        (
            "b.ffl",
            "/** two */ namespace n { facet G() andThen { s = F() andThen { } } }",
        ),
        ("c.ffl", "namespace m { facet Far() }"),
    ]);
    let program = program_of(&sources);
    let form: Value = serde_json::from_str(&emit(&program)).expect("JSON");
    let docs: Vec<&Value> = (0..2)
        .map(|at| &form["declarations"][at]["doc"]["description"])
        .collect();
    assert_eq!(docs, ["one", "two"]);
    assert_eq!(form["declarations"][0]["uses"], json!(["m"]));
    assert_eq!(form["declarations"][1].get("uses"), None);
}

#[test]
fn diagnostics_of_several_texts_name_their_text() {
    let sources = sources_of(&[
        ("a.ffl", "namespace n { facet F() }"),
        ("b.ffl", "facet F()\nnamespace n {\n  facet F() }"),
    ]);
    let errors = compile(&sources, Detail::FULL).expect_err("declared twice");
    let located = located(&errors, &sources);
    let [only] = located.as_slice() else {
        panic!("one error: {located:?}");
    };
    assert_eq!(
        (only.code, only.span.file.as_str(), only.span.line),
        (Code::E101, "b.ffl", 3)
    );
    assert_eq!(only.labels[0].span.file, "a.ffl");
}

#[test]
fn a_text_that_cannot_be_parsed_causes_no_errors_in_the_others() {
    let sources = sources_of(&[
        ("a.ffl", "namespace n { use m workflow W( }"),
        (
            "b.ffl",
            "namespace o { use n facet F() andThen { s = W() } }",
        ),
    ]);
    let errors = compile(&sources, Detail::FULL).expect_err("a syntax error");
    assert!(
        errors.iter().all(|error| error.code == Code::E001),
        "{errors:?}"
    );
}

fn library(texts: &[(&str, &str)]) -> Library {
    let mut library = Library::new();
    for (name, text) in texts {
        library
            .add(name, text.as_bytes())
            .expect("within the limit");
    }
    library
}

fn added(primary: &str, texts: &[(&str, &str)]) -> Vec<String> {
    let mut sources = sources_of(&[("main.ffl", primary)]);
    let completed = library(texts).complete(&mut sources);
    completed.expect("within the limit");
    let libraries = sources
        .iter()
        .filter(|(_, source)| source.origin() == Origin::Library);
    libraries
        .map(|(_, source)| source.name().to_owned())
        .collect()
}

const LIBRARY: [(&str, &str); 6] = [
    ("z.ffl", "namespace z { }"),
    ("a1.ffl", "namespace a { use b.c facet F() }"),
    (
        "a2.ffl",
        "namespace other { } namespace a { facet G() with d.M() }",
    ),
    ("bc.ffl", "namespace b.c { facet H() }"),
    ("d.ffl", "namespace d { facet M() }"),
    ("broken.ffl", "namespace broken { facet ( "),
];

#[test]
fn l10_library_texts_are_found_by_the_namespaces_that_are_missing() {
    // Not only the first text of a namespace, and what they need in turn.
    let all = ["a1.ffl", "a2.ffl", "bc.ffl", "d.ffl"];
    assert_eq!(added("namespace m { use a }", &LIBRARY), all);
    assert_eq!(added("facet F() andThen { s = a.F() }", &LIBRARY), all);
    assert_eq!(
        added(
            "facet F() andThen { s = F() catch { yield a.F() } }",
            &LIBRARY
        ),
        all
    );
    assert_eq!(added("facet F() with d.M()", &LIBRARY), ["d.ffl"]);
    let nested = "facet F() andThen foreach e in $.l { s = F() with Timeout() andThen when { case _ => { t = F() with d.M() } } }";
    assert_eq!(added(nested, &LIBRARY), ["d.ffl"]);
    assert_eq!(added("implicit i = d.M()", &LIBRARY), ["d.ffl"]);
    let caught = "facet F() andThen { } catch { s = d.M() }";
    assert_eq!(added(caught, &LIBRARY), ["d.ffl"]);
    let cases = "facet F() catch when { case $.error == \"x\" => { s = d.M() } case _ => { } }";
    assert_eq!(added(cases, &LIBRARY), ["d.ffl"]);
}

#[test]
fn l10_a_namespace_that_exists_or_is_only_a_prefix_adds_nothing() {
    let nothing: [&str; 0] = [];
    assert_eq!(
        added("namespace a { } namespace m { use a }", &LIBRARY),
        nothing
    );
    assert_eq!(added("namespace m { use b }", &LIBRARY), nothing);
    assert_eq!(added("namespace m { use b.c.d }", &LIBRARY), nothing);
    assert_eq!(added("namespace m { use missing }", &LIBRARY), nothing);
    // Types are no reason.
    assert_eq!(added("facet F(x: a.S)", &LIBRARY), nothing);
}

#[test]
fn errors_of_a_library_text_matter_only_if_it_is_needed() {
    assert_eq!(added("namespace m { use z }", &LIBRARY), ["z.ffl"]);
    let mut sources = sources_of(&[("main.ffl", "namespace m { use broken }")]);
    library(&LIBRARY).complete(&mut sources).expect("small");
    let errors = compile(&sources, Detail::FULL).expect_err("a syntax error");
    assert_eq!(located(&errors, &sources)[0].span.file, "broken.ffl");
}

#[test]
fn a_library_text_that_is_not_utf8_or_too_large_is_refused_by_name() {
    let mut library = Library::new();
    let refused = library.add("x.ffl", b"\xff");
    assert!(matches!(refused, Err(SourceError::NotUtf8 { name, .. }) if name == "x.ffl"));
    let half = " ".repeat(MAX_TEXT / 2) + "namespace a { }";
    library
        .add("a.ffl", half.as_bytes())
        .expect("within the limit");
    library
        .add("b.ffl", half.as_bytes())
        .expect("within the limit");
    let mut sources = sources_of(&[("main.ffl", "namespace m { use a }")]);
    let refused = library.complete(&mut sources);
    assert!(matches!(refused, Err(SourceError::TooLarge { name, .. }) if name == "b.ffl"));
}

#[test]
fn locations_name_their_text_and_its_provenance() {
    let mut sources = sources_of(&[("main.ffl", "namespace m { use z }")]);
    library(&LIBRARY).complete(&mut sources).expect("small");
    let form: Value = serde_json::from_str(&emit(&program_of(&sources))).expect("JSON");
    let location = |at: usize| {
        let location = &form["declarations"][at]["location"];
        (
            location["sourceId"].clone(),
            location["provenance"]["type"].clone(),
        )
    };
    assert_eq!(location(0), (json!("main.ffl"), json!("primary")));
    assert_eq!(location(1), (json!("z.ffl"), json!("library")));
}

#[test]
fn two_equal_texts_have_different_ids() {
    let sources = sources_of(&[("a.ffl", "namespace n { }"), ("b.ffl", "namespace n { }")]);
    let program = program_of(&sources);
    let ids: BTreeSet<String> = program
        .declarations
        .iter()
        .map(|declaration| serde_json::to_value(declaration).expect("plain data")["id"].to_string())
        .collect();
    assert_eq!(ids.len(), 2);
}

#[test]
fn a_stored_program_is_read_back_and_its_digest_is_that_of_its_bytes() {
    let sources = sources_of(&[("a.ffl", "namespace n { facet F() }")]);
    let document = Document::new(program_of(&sources), SourceDigest::of(&sources));
    let bytes = document.to_bytes();
    assert_eq!(Document::read(&bytes).as_ref(), Ok(&document));
    assert_eq!(
        bytes,
        Document::new(program_of(&sources), SourceDigest::of(&sources)).to_bytes()
    );
    let mut other = document.clone();
    other.format.edition += 1;
    assert_ne!(
        digest(&bytes),
        digest(&other.to_bytes()),
        "the edition is part of the digest"
    );
    let of_nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    assert_eq!(digest(b""), of_nothing);
    assert_eq!(
        document.sources[0].sha256,
        digest(b"namespace n { facet F() }")
    );
}

#[test]
fn p2_a_stored_program_of_a_newer_format_or_edition_is_refused_whatever_else_it_has() {
    let sources = sources_of(&[("a.ffl", "facet F()")]);
    let document = Document::new(program_of(&sources), SourceDigest::of(&sources));
    let json: Value = serde_json::from_slice(&document.to_bytes()).expect("JSON");
    let read = |json: &Value| Document::read(json.to_string().as_bytes());
    for (name, supported) in [("version", FORMAT), ("edition", EDITION)] {
        let mut newer = json.clone();
        newer["format"][name] = json!(supported + 1);
        newer["program"] = json!({"something": "else"});
        let (format, supported) = (u64::from(supported) + 1, u64::from(supported));
        assert_eq!(read(&newer), Err(ReadError::Newer { format, supported }));
        newer["format"][name] = json!(0);
        let refused = read(&newer).expect_err("no such format").to_string();
        assert!(
            refused.ends_with(&format!("path=\"/format/{name}\"")),
            "{refused}"
        );
    }
    let mut damaged = json.clone();
    damaged["sources"][0]["sha256"] = json!("ABC");
    let refused = read(&damaged).expect_err("no digest").to_string();
    assert!(refused.contains("path=\"/sources/0/sha256\""), "{refused}");
    let mut damaged = json;
    damaged["program"]["declarations"][0]["name"] = json!(1);
    let refused = read(&damaged).expect_err("no name").to_string();
    assert!(
        refused.contains("path=\"/program/declarations/0/name\""),
        "{refused}"
    );
}

#[test]
fn c2_names_of_a_compiled_program_denote_what_they_denoted_in_the_text() {
    let text = "namespace a { use b facet F() facet H() andThen { s = F() } }
        namespace b { facet F() facet B() schema S { x: Int } }
        namespace c { facet F() facet C(x: Int) implicit i = C(x = 1) implicit j = C(x = 2) }";
    let program = program_of(&sources_of(&[("a.ffl", text)]));
    let program = read(emit(&program).as_bytes()).expect("the form");
    let index = FormIndex::of_program(&program);
    let site = |namespace, uses: &[&'static str]| Site {
        namespace,
        uses: uses.iter().copied().collect(),
    };
    let denotes = |name: &str, site: &Site<'_>| match index.facet(name, site) {
        Found::One(found) => found.qualified(),
        Found::Ambiguous(candidates) => candidates.names.join("|"),
        Found::None => "nothing".to_owned(),
    };
    assert_eq!(denotes("F", &site("a", &["b"])), "a.F");
    assert_eq!(denotes("F", &site("d", &["b"])), "a.F|b.F|c.F");
    assert_eq!(denotes("B", &site("a", &["b"])), "b.B");
    assert_eq!(denotes("C", &site("a", &[])), "c.C");
    let many = ["b", "q", "r", "s", "t"];
    assert_eq!(denotes("F", &site("d", &many)), "a.F|b.F|c.F");
    assert_eq!(denotes("B", &site("d", &many)), "b.B");
    assert_eq!(denotes("b.F", &site("a", &[])), "b.F");
    assert_eq!(denotes("b.C", &site("a", &[])), "nothing");
    assert!(matches!(index.schema("S", &site("a", &[])), Found::One(_)));
    for uses in [&["b"][..], &["b", "q", "r"], &["q", "r"]] {
        let found = index.schema("S", &site("d", uses)).one().expect("b.S");
        assert_eq!(found.qualified(), "b.S");
    }
    let c = index.facet("C", &site("c", &[])).one().expect("c.C");
    assert_eq!(index.implicit(&c).map(|implicit| implicit.name), Some("i"));
    let b = index.facet("B", &site("b", &[])).one().expect("b.B");
    assert!(index.implicit(&b).is_none());
    assert_eq!(index.namespaces().collect::<Vec<_>>(), ["a", "b", "c"]);
}

#[test]
fn r2_references_are_found_in_every_kind_of_expression() {
    let text = "facet M(v: Json = 1) facet G(p: Json, q: Json, l: Json, m: Json) andThen {
        a = M() b = M() c = M() d = M() e = M() f = M() g = M() h = M()
        s = M(v = [#{k: a.x}, -b.x, $.p ++ c.x, (1 + d.x) * 2, e.x[f.x], !$.q]) with M(v = g.x)
            andThen foreach e2 in h.x { t = M(v = [e2.y, $.l]) catch when { case $.m => { yield G() } case _ => { } } }
    }";
    let program = program_of(&sources_of(&[("a.ffl", text)]));
    let Body::Blocks(blocks) = &facet(&program, "G").body else {
        panic!("blocks");
    };
    let BlockKind::Statements { statements, .. } = &blocks[0].kind else {
        panic!("statements");
    };
    let step = statements.steps.last().expect("s");
    let found = References::of_call(&step.call);
    assert_eq!(found.steps.into_iter().collect::<String>(), "abcdefg");
    assert_eq!(found.inputs.into_iter().collect::<String>(), "pq");
    let body = References::of_block(step.body.as_deref().expect("a body"));
    assert_eq!(body.steps.into_iter().collect::<Vec<_>>(), ["e2", "h"]);
    assert_eq!(body.inputs.into_iter().collect::<String>(), "lm");
    let none = References::of_call(&statements.steps[0].call);
    assert_eq!(none, References::default());
}
