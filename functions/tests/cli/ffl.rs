//! `ffl check`, `ffl compile` and `ffl fmt`.

use std::fs;
use std::io::Write as _;
use std::process::Stdio;

use serde_json::Value;

use crate::world::{Done, World, files};

const ORDER: &str = "\
namespace shop {
    use stock

    workflow Order(count: Int) => (twice: Int) andThen {
        r = Reserve(count = $.count)
        yield Order(twice = r.count)
    }
}
";
const STOCK: &str = "namespace stock { event facet Reserve(count: Int) => (count: Int) }\n";

fn write(world: &World, name: &str, text: impl AsRef<[u8]>) {
    let path = world.path(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn read(world: &World, name: &str) -> String {
    fs::read_to_string(world.path(name)).unwrap()
}

/// Runs a command with a text as its standard input.
fn fed(world: &World, args: &[&str], text: &str) -> Done {
    let mut command = world.command(args);
    command.stdin(Stdio::piped());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(text.as_bytes()).unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    Done {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

#[test]
fn a_folder_and_its_library_are_checked_as_one_program() {
    let world = World::new();
    write(&world, "src/deep/order.ffl", ORDER);
    write(&world, "src/notes.txt", "not FFL");
    write(&world, "src/.hidden/broken.ffl", "namespace {");
    let alone = world.run(&["ffl", "check", "src"]);
    assert_eq!(alone.code, 1, "{alone:?}");
    assert!(alone.err.contains("E201"), "{alone:?}");
    write(&world, "lib/stock.ffl", STOCK);
    write(&world, "lib/unused.ffl", "namespace broken { facet");
    let done = world.run(&["ffl", "check", "src", "--library", "lib"]);
    let all = (done.code, done.out.as_str(), done.err.as_str());
    assert_eq!(all, (0, "", ""), "{done:?}");
    // A text that two paths name is compiled once.
    let twice = [
        "ffl",
        "check",
        "src",
        "src/deep/order.ffl",
        "lib",
        "./lib/stock.ffl",
    ];
    let done = world.run(&twice);
    assert!(
        done.err.contains("unused.ffl") && !done.err.contains("E101"),
        "{done:?}"
    );
    assert!(!world.path("pond.db").exists(), "no bucket is created");
}

#[test]
fn errors_are_drawn_on_stderr_or_printed_as_json() {
    let world = World::new();
    write(
        &world,
        "a.ffl",
        "namespace a {\n    workflow W(n: Integer)\n}\n",
    );
    let done = world.run(&["ffl", "check", "a.ffl"]);
    assert_eq!((done.code, done.out.as_str()), (1, ""), "{done:?}");
    assert!(done.err.starts_with("[E205] Error: "), "{done:?}");
    assert!(done.err.contains("a.ffl:2:19"), "{done:?}");
    assert!(!done.err.contains('\u{1b}'), "{done:?}");
    let done = world.run(&["ffl", "check", "a.ffl", "--json"]);
    assert_eq!((done.code, done.err.as_str()), (1, ""), "{done:?}");
    let reported: Value = serde_json::from_str(&done.out).unwrap();
    let found = &reported["diagnostics"][0];
    assert_eq!(
        (&found["code"], &found["severity"]),
        (&"E205".into(), &"error".into())
    );
    assert_eq!(
        (&found["span"]["line"], &found["span"]["column"]),
        (&2.into(), &19.into())
    );
}

#[test]
fn a_warning_is_reported_without_failing() {
    let world = World::new();
    let text = "namespace a { workflow W(n: Int) andThen { s = Missing(n = $.n) } }";
    let done = fed(&world, &["ffl", "check", "-"], text);
    assert_eq!(done.code, 0, "{done:?}");
    assert!(
        done.err.contains("[W101] Warning: ") && done.err.contains("<stdin>:1:"),
        "{done:?}"
    );
    let done = fed(&world, &["ffl", "compile"], text);
    assert_eq!(done.code, 0, "{done:?}");
    assert!(
        done.out.contains("WorkflowDecl") && done.err.contains("W101"),
        "{done:?}"
    );
}

#[test]
fn a_program_is_compiled_to_its_json_form() {
    let world = World::new();
    write(&world, "order.ffl", ORDER);
    write(&world, "lib/stock.ffl", STOCK);
    let texts = ["ffl", "compile", "order.ffl", "--library", "lib"];
    let plain = world.ok(&texts);
    assert_eq!(plain.lines().count(), 1, "{plain}");
    millpond_ffl::json::read(plain.as_bytes()).unwrap();
    assert!(!plain.contains("provenance"), "{plain}");
    let full = world.ok(&[&texts[..], &["--full"]].concat());
    assert!(full.contains("\"type\":\"library\""), "{full}");
    let pretty = world.ok(&[&texts[..], &["--pretty", "--output", "out.json"]].concat());
    assert_eq!(pretty, "");
    let written = read(&world, "out.json");
    assert!(written.lines().count() > 10, "{written}");
    let value = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    assert_eq!(value(&written), value(&plain));
}

#[test]
fn a_program_with_errors_writes_nothing() {
    let world = World::new();
    write(&world, "out.json", "before");
    for text in ["workflow W()", "namespace a {"] {
        let done = fed(
            &world,
            &["ffl", "compile", "-", "--output", "out.json"],
            text,
        );
        assert_eq!((done.code, done.out.as_str()), (1, ""), "{done:?}");
        assert!(done.err.contains("Error: "), "{done:?}");
        let done = fed(&world, &["ffl", "compile", "-", "--json"], text);
        assert_eq!((done.code, done.out.as_str()), (1, ""), "{done:?}");
        let reported: Value = serde_json::from_str(&done.err).unwrap();
        assert!(reported["diagnostics"][0]["code"].is_string(), "{reported}");
    }
    assert_eq!(read(&world, "out.json"), "before");
}

#[test]
fn texts_are_formatted_in_place() {
    let world = World::new();
    write(&world, "src/order.ffl", ORDER.replace("    ", " "));
    write(&world, "src/stock.ffl", STOCK);
    let done = world.run(&["ffl", "fmt", "--check", "src"]);
    assert_eq!(done.code, 1, "{done:?}");
    assert!(done.out.contains("order.ffl\n"), "{done:?}");
    assert_eq!(read(&world, "src/order.ffl"), ORDER.replace("    ", " "));
    world.ok(&["ffl", "fmt", "src"]);
    assert_eq!(read(&world, "src/order.ffl"), ORDER);
    assert_eq!(
        world.ok(&["ffl", "fmt", "src"]),
        "",
        "the second time changes nothing"
    );
    assert_eq!(
        world.json(&["ffl", "fmt", "--check", "src"])["changed"],
        serde_json::json!([])
    );
    assert_eq!(
        files(&world.path("src")).len(),
        2,
        "no temporary file is left"
    );
}

#[test]
fn standard_input_is_formatted_to_stdout() {
    let world = World::new();
    let text = ORDER.replace("    ", "\t");
    let done = fed(&world, &["ffl", "fmt", "-"], &text);
    assert_eq!((done.code, done.out.as_str()), (0, ORDER), "{done:?}");
    let done = fed(&world, &["ffl", "fmt", "--check"], &text);
    assert_eq!((done.code, done.out.as_str()), (1, "<stdin>\n"), "{done:?}");
    write(&world, "a.ffl", STOCK);
    let done = fed(&world, &["ffl", "fmt", "-", "a.ffl"], &text);
    assert_eq!(done.code, 2, "{done:?}");
}

#[test]
fn a_text_with_syntax_errors_is_not_formatted_and_the_others_are() {
    let world = World::new();
    write(&world, "src/a.ffl", "namespace a {");
    write(&world, "src/b.ffl", ORDER.replace("    ", " "));
    let done = world.run(&["ffl", "fmt", "src"]);
    assert_eq!(done.code, 1, "{done:?}");
    assert!(
        done.err.contains("E001") && done.out.ends_with("b.ffl\n"),
        "{done:?}"
    );
    assert_eq!(read(&world, "src/a.ffl"), "namespace a {");
    assert_eq!(read(&world, "src/b.ffl"), ORDER);
}

#[cfg(unix)]
#[test]
fn a_formatted_file_keeps_its_permissions_and_its_link() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let world = World::new();
    write(&world, "real.ffl", ORDER.replace("    ", " "));
    let mode = fs::Permissions::from_mode(0o640);
    fs::set_permissions(world.path("real.ffl"), mode).unwrap();
    symlink("real.ffl", world.path("link.ffl")).unwrap();
    world.ok(&["ffl", "fmt", "link.ffl"]);
    assert_eq!(read(&world, "real.ffl"), ORDER);
    let known = fs::metadata(world.path("real.ffl")).unwrap();
    assert_eq!(known.permissions().mode() & 0o777, 0o640);
    assert!(world.path("link.ffl").is_symlink());
    let done = world.run(&["ffl", "compile", "real.ffl", "--output", "/dev/null"]);
    assert_eq!(done.code, 1, "the program has an error: {done:?}");
    write(&world, "stock.ffl", STOCK);
    let done = world.run(&["ffl", "compile", "stock.ffl", "--output", "/dev/null"]);
    assert!(
        done.code == 2 && done.err.contains("not a regular file"),
        "{done:?}"
    );
}

#[test]
fn unusable_input_is_a_usage_error_and_changes_nothing() {
    let world = World::new();
    fs::create_dir(world.path("empty")).unwrap();
    write(&world, "a.ffl", ORDER.replace("    ", " "));
    write(&world, "bytes.ffl", b"namespace a {}\n\xff");
    write(
        &world,
        "large.ffl",
        " ".repeat(millpond_ffl::source::MAX_TEXT + 1),
    );
    for (path, why) in [
        ("gone.ffl", "error: cannot read gone.ffl: "),
        ("empty", "no file in it ends with .ffl"),
        (
            "bytes.ffl",
            "is not UTF-8; save the file as UTF-8: source=\"bytes.ffl\", line=2",
        ),
        ("large.ffl", "the text is too large"),
    ] {
        for verb in ["check", "compile", "fmt"] {
            let done = world.run(&["ffl", verb, "a.ffl", path]);
            assert_eq!((done.code, done.out.as_str()), (2, ""), "{done:?}");
            assert!(done.err.contains(why), "{why}: {done:?}");
        }
    }
    assert_eq!(read(&world, "a.ffl"), ORDER.replace("    ", " "));
    let done = world.run(&["ffl", "check", "gone.ffl", "--json"]);
    assert!(done.err.contains("\"kind\":\"usage\""), "{done:?}");
    let done = world.run(&["ffl", "check", "a.ffl", "--library", "gone"]);
    assert!(
        done.code == 2 && done.err.contains("cannot read gone"),
        "{done:?}"
    );
}

#[test]
fn graph_draws_the_only_workflow_or_the_named_one() {
    let world = World::new();
    let text = "namespace n { event facet E() workflow V() => () andThen { e = E() } }";
    fs::write(world.path("p.ffl"), text).unwrap();
    let mermaid = world.ok(&["ffl", "graph", "p.ffl"]);
    assert!(
        mermaid.starts_with("---\ntitle: \"n.V\"\n---\nflowchart TD\n"),
        "{mermaid}"
    );
    let dot = world.ok(&[
        "ffl",
        "graph",
        "p.ffl",
        "--workflow",
        "n.E",
        "--format",
        "dot",
    ]);
    assert!(dot.starts_with("digraph \"n.E\" {\n"), "{dot}");
    let json = world.json(&["ffl", "graph", "p.ffl"]);
    assert_eq!(json["diagram"], mermaid);
    let unknown = world.run(&["ffl", "graph", "p.ffl", "--workflow", "V"]);
    assert_eq!((unknown.code, unknown.out.as_str()), (2, ""), "{unknown:?}");
    assert!(
        unknown
            .err
            .contains("the texts declare no such workflow or facet: name=V"),
        "{unknown:?}"
    );
    fs::write(
        world.path("p.ffl"),
        "namespace n { workflow V() => () andThen { e = E( } }",
    )
    .unwrap();
    let bad = world.run(&["ffl", "graph", "p.ffl"]);
    assert_eq!((bad.code, bad.out.as_str()), (1, ""), "{bad:?}");
}
