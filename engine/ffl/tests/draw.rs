//! Diagrams of programs. A case is a program whose first workflow is drawn; it expects both texts.

mod cases;

use millpond_ffl::draw::Diagram;
use millpond_ffl::form::Program;
use millpond_ffl::json::Detail;
use millpond_ffl::program::compile;
use millpond_ffl::source::{Origin, Sources};

fn program(text: &str) -> Program {
    let mut sources = Sources::new();
    sources
        .add("case.ffl", Origin::Primary, text)
        .expect("a case is small");
    compile(&sources, Detail::default())
        .expect("no errors")
        .program
}

#[test]
fn a_workflow_is_drawn_as_listed() {
    cases::check(include_str!("draw/cases.txt"), |text| {
        let diagram = Diagram::of(&program(text), "n.W").expect("the workflow");
        format!("{}{}", diagram.mermaid(), diagram.dot())
    });
}

#[test]
fn only_a_qualified_name_is_drawn() {
    let program = program("namespace n { facet F() andThen { } schema S { } } facet G()");
    for name in ["n.F", "G"] {
        assert!(Diagram::of(&program, name).is_some(), "{name}");
    }
    for name in ["F", "n.S", "n", "n.G", ""] {
        assert!(Diagram::of(&program, name).is_none(), "{name}");
    }
}
