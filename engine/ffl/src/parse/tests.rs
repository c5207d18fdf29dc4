use super::{MAX_DEPTH, Parsed, parse};
use crate::ast::{
    AndThen, Block, Body, Call, Decl, Doc, Expr, ExprKind, FacetDecl, Item, Member, RefKind, Script,
};
use crate::source::{Origin, Sources};

fn read(text: &str) -> (Parsed, Sources) {
    let mut sources = Sources::new();
    let id = sources.add("a.ffl", Origin::Primary, text).expect("small");
    (parse(&sources, id), sources)
}

fn accepted(text: &str) -> Vec<Item> {
    let (parsed, _) = read(text);
    assert_eq!(parsed.diagnostics, [], "{text}");
    parsed.file.items
}

fn facet(text: &str) -> FacetDecl {
    match accepted(text).pop() {
        Some(Item::Decl(Decl::Facet(facet))) => *facet,
        other => panic!("no facet: {other:?}"),
    }
}

/// The operators of an expression in prefix form.
fn prefix(expr: &Expr) -> String {
    let join = |all: &[Expr]| all.iter().map(prefix).collect::<Vec<_>>().join(" ");
    match &expr.kind {
        ExprKind::String(text) => format!("{text:?}"),
        ExprKind::Int(value) => value.to_string(),
        ExprKind::Double(value) => format!("{value:?}"),
        ExprKind::Boolean(value) => value.to_string(),
        ExprKind::Null => "null".to_owned(),
        ExprKind::Ref(reference) => {
            let path: Vec<&str> = reference
                .path
                .iter()
                .map(|ident| ident.text.as_str())
                .collect();
            let root = if reference.kind == RefKind::Input {
                "$."
            } else {
                ""
            };
            format!("{root}{}", path.join("."))
        }
        ExprKind::Concat(operands) => format!("(++ {})", join(operands)),
        ExprKind::Binary { op, left, right } => {
            format!("({} {} {})", op.as_str(), prefix(left), prefix(right))
        }
        ExprKind::Unary { op, operand } => format!("({} {})", op.as_str(), prefix(operand)),
        ExprKind::Array(elements) => format!("[{}]", join(elements)),
        ExprKind::Map(entries) => {
            let entries = entries
                .iter()
                .map(|entry| format!("{} {}", entry.key.text, prefix(&entry.value)));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(" "))
        }
        ExprKind::Index { target, index } => format!("(at {} {})", prefix(target), prefix(index)),
    }
}

fn expr(text: &str) -> Expr {
    let mut facet = facet(&format!("facet F(a: Json = {text})"));
    facet
        .signature
        .params
        .pop()
        .and_then(|param| param.default)
        .expect("a default")
}

#[test]
fn operators_bind_by_precedence_and_to_the_left() {
    let cases = [
        ("1 + 2 * 3 - 4", "(- (+ 1 (* 2 3)) 4)"),
        ("1 - 2 - 3", "(- (- 1 2) 3)"),
        ("1 - (2 - 3)", "(- 1 (- 2 3))"),
        ("8 / 4 % 3 * 2", "(* (% (/ 8 4) 3) 2)"),
        ("$.a || $.b && $.c", "(|| $.a (&& $.b $.c))"),
        ("$.a && $.b || $.c", "(|| (&& $.a $.b) $.c)"),
        ("1 + 1 == 2 && 3 > 2", "(&& (== (+ 1 1) 2) (> 3 2))"),
        ("\"a\" ++ \"b\" == \"ab\"", "(== (++ \"a\" \"b\") \"ab\")"),
        ("!true == false", "(== (! true) false)"),
        ("- 1 + 2", "(+ (- 1) 2)"),
        ("-$.a[0]", "(- (at $.a 0))"),
        ("+ + 1", "1"),
        ("- - 1", "(- (- 1))"),
    ];
    for (text, expected) in cases {
        assert_eq!(prefix(&expr(text)), expected, "{text}");
    }
}

#[test]
fn concatenation_is_one_node() {
    assert_eq!(
        prefix(&expr("$.a ++ 1 + 2 ++ \"b\"")),
        "(++ $.a (+ 1 2) \"b\")"
    );
    assert_eq!(
        prefix(&expr("($.a ++ $.b) ++ $.c")),
        "(++ (++ $.a $.b) $.c)"
    );
    assert_eq!(
        prefix(&expr("$.a ++ ($.b ++ $.c)")),
        "(++ $.a (++ $.b $.c))"
    );
}

#[test]
fn atoms_nest() {
    assert_eq!(
        prefix(&expr("#{ a: [1, #{}], \"b c\": s.x }[\"a\"][0]")),
        "(at (at {a [1 {}] b c s.x} \"a\") 0)"
    );
    assert_eq!(
        prefix(&expr("[null, 1.0, true . x . y]")),
        "[null 1.0 true.x.y]"
    );
}

#[test]
fn the_span_of_an_expression_excludes_its_parentheses() {
    let (parsed, sources) = read("facet F(a: Json = ((1) + 2))");
    let Some(Item::Decl(Decl::Facet(facet))) = parsed.file.items.first() else {
        panic!("no facet")
    };
    let value = facet.signature.params[0]
        .default
        .as_ref()
        .expect("a default");
    assert_eq!(sources.slice(value.span), "(1) + 2");
    assert_eq!(sources.slice(facet.span), "facet F(a: Json = ((1) + 2))");
}

fn description(doc: &Option<Doc>) -> &str {
    doc.as_ref().map_or("none", |doc| doc.description.as_str())
}

#[test]
fn a_doc_comment_belongs_to_the_declaration_after_it() {
    let text = "/** n */ namespace a {\n/** no */ use b\n /** early */ // x\n /** f */ /* y */ facet F()\n\
                /** e */ event /** no */ facet E()\n/** w */ workflow W() /** no */ andThen { /** no */ }\n\
                /** s */ schema S { /** no */ a: Int }\n/** no */ implicit i = F()\nfacet G() /** no */ }";
    let mut items = accepted(text);
    let Some(Item::Namespace(namespace)) = items.pop() else {
        panic!("no namespace")
    };
    assert_eq!(description(&namespace.doc), "n");
    let docs: Vec<&str> = namespace
        .decls()
        .map(|decl| match decl {
            Decl::Facet(facet) => description(&facet.doc),
            Decl::Schema(schema) => description(&schema.doc),
            Decl::Implicit(_) => "implicit",
        })
        .collect();
    assert_eq!(docs, ["f", "e", "w", "s", "implicit", "none"]);
    assert_eq!(namespace.uses().count(), 1);
    assert!(matches!(namespace.members[0], Member::Use(_)));
}

fn pre_script(text: &str) -> Script {
    facet(text).pre_script.expect("a script")
}

#[test]
fn the_lines_of_a_script_are_lines_of_the_file() {
    let script = pre_script("facet F()\n  script python\n  {\n    a = 1\n\n    b = {}\n  }");
    assert_eq!(script.code, "a = 1\n\nb = {}");
    assert_eq!((script.first_line, script.indent), (4, 4));
    let script = pre_script("facet F() script { a = 1 }");
    assert_eq!((script.code.as_str(), script.first_line), ("a = 1", 1));
    let script = pre_script("facet F() script \"\n  a = \\\"x\\\"\n  b\"");
    assert_eq!(
        (script.code.as_str(), script.first_line, script.indent),
        ("a = \"x\"\nb", 2, 2)
    );
    let script = pre_script("facet F() script \"\\n  a\\n  b\"");
    assert_eq!((script.code.as_str(), script.first_line), ("a\nb", 1));
}

#[test]
fn the_last_prompt_directive_counts() {
    let text = "event facet F() prompt { system \"a\" template \"t\" system \"b\\n\" }";
    let Body::Prompt(prompt) = facet(text).body else {
        panic!("no prompt")
    };
    assert_eq!(prompt.system.expect("a system text").text, "b\n");
    assert_eq!(prompt.template.expect("a template").text, "t");
    assert_eq!(prompt.model, None);
}

fn first_block(facet: &FacetDecl) -> &Block {
    match &facet.body {
        Body::Blocks(blocks) => match blocks.first() {
            Some(AndThen::Block { block, .. }) => block,
            other => panic!("no block: {other:?}"),
        },
        Body::Prompt(prompt) => panic!("a prompt: {prompt:?}"),
    }
}

#[test]
fn calls_keep_equal_arguments_and_mixins_in_text_order() {
    let facet = facet("facet F() andThen { s = a.G(x = 1, x = 2) with M(y = 3) as m with b.N() }");
    let Call {
        target,
        args,
        mixins,
        ..
    } = &first_block(&facet).steps[0].call;
    assert_eq!(
        (target.text.as_str(), target.short(), target.namespace()),
        ("a.G", "G", Some("a"))
    );
    assert_eq!(
        args.iter()
            .map(|arg| prefix(&arg.value))
            .collect::<Vec<_>>(),
        ["1", "2"]
    );
    assert_eq!(mixins[0].alias.as_ref().expect("an alias").text, "m");
    assert_eq!(
        (mixins[1].target.text.as_str(), mixins[1].alias.as_ref()),
        ("b.N", None)
    );
}

fn codes(text: &str) -> Vec<&'static str> {
    read(text)
        .0
        .diagnostics
        .iter()
        .map(|found| found.code.as_str())
        .collect()
}

/// Texts that nest so many times, by kind of nesting.
fn nested(times: u32) -> Vec<String> {
    let times = times as usize;
    let value = |open: &str, close: &str| {
        format!(
            "facet F(a: Json = {}1{})",
            open.repeat(times),
            close.repeat(times)
        )
    };
    let block = |open: &str, close: &str| {
        format!(
            "facet F() andThen {{ {}{} }}",
            open.repeat(times - 1),
            close.repeat(times - 1)
        )
    };
    vec![
        value("(", ")"),
        value("[", "]"),
        value("#{a:", "}"),
        value("- ", ""),
        value("$.a[", "]"),
        format!("facet F(a: {}Int{})", "[".repeat(times), "]".repeat(times)),
        block("s = F() andThen {", "}"),
        block("s = F() catch {", "}"),
        block("s = F() andThen when { case _ => {", "}}"),
    ]
}

#[test]
fn a_text_nests_200_levels_and_no_more() {
    for text in nested(MAX_DEPTH) {
        assert_eq!(codes(&text), [""; 0], "{}", &text[..60]);
        assert!(crate::fuzz::text(text.as_bytes()), "{}", &text[..60]);
    }
    for text in nested(MAX_DEPTH + 1) {
        assert_eq!(codes(&text), ["E009"], "{}", &text[..60]);
    }
    for text in nested(100_000) {
        assert_eq!(codes(&text), ["E009"], "{}", &text[..60]);
    }
}

#[test]
fn an_operator_chain_is_limited_as_well_but_concatenation_is_not() {
    let chain =
        |op: &str, times| format!("facet F(a: Json = 1{})", format!(" {op} 1").repeat(times));
    for op in ["+", "*", "&&", "||", "-"] {
        assert_eq!(codes(&chain(op, 200)), [""; 0], "{op}");
        assert_eq!(codes(&chain(op, 201)), ["E009"], "{op}");
    }
    assert_eq!(codes(&chain("++", 100_000)), [""; 0]);
    let index = format!("facet F(a: Json = $.a{})", "[0]".repeat(201));
    assert_eq!(codes(&index), ["E009"]);
}
