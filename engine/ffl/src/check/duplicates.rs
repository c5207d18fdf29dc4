//! E101, E103, W104: what is declared twice.

use std::collections::BTreeMap;

use super::checker::Checker;
use crate::ast::{Decl, Field, File, Ident, Item, Param};
use crate::diag::{Code, Diagnostic};

impl<'a> Checker<'a> {
    /// E101: two declarations of one name in a namespace or at the top level.
    pub(super) fn declared_twice(&mut self, files: &'a [File]) {
        let mut first: BTreeMap<(&str, &str), &Ident> = BTreeMap::new();
        let mut one = |checker: &mut Self, namespace: &'a str, decl: &'a Decl| {
            if matches!(decl, Decl::Implicit(_)) {
                return;
            }
            let name = decl.name();
            let earlier = *first.entry((namespace, &name.text)).or_insert(name);
            if !std::ptr::eq(earlier, name) {
                let place = if namespace.is_empty() {
                    "at the top level".to_owned()
                } else {
                    format!("in namespace `{namespace}`")
                };
                let message = format!("`{name}` is declared twice {place}");
                checker.twice(Code::E101, message, earlier, name);
            }
        };
        for item in files.iter().flat_map(|file| &file.items) {
            match item {
                Item::Decl(decl) => one(self, "", decl),
                Item::Namespace(namespace) => {
                    for decl in namespace.decls() {
                        one(self, &namespace.name.text, decl);
                    }
                }
            }
        }
    }

    /// E103: two fields of one name in a schema.
    pub(super) fn fields_twice(&mut self, fields: &'a [Field]) {
        let mut first: BTreeMap<&str, &Ident> = BTreeMap::new();
        for field in fields {
            let name = &field.name;
            let earlier = *first.entry(&name.text).or_insert(name);
            if !std::ptr::eq(earlier, name) {
                let message = format!("the schema has two fields `{name}`");
                self.twice(Code::E103, message, earlier, name);
            }
        }
    }

    /// W104: two parameters, or two returns, of one name.
    pub(super) fn params_twice(&mut self, params: &'a [Param], what: &str) {
        let mut first: BTreeMap<&str, &Ident> = BTreeMap::new();
        for param in params {
            let name = &param.name;
            let earlier = *first.entry(&name.text).or_insert(name);
            if !std::ptr::eq(earlier, name) {
                let message = format!("there are two {what} `{name}`");
                self.twice(Code::W104, message, earlier, name);
            }
        }
    }

    fn twice(&mut self, code: Code, message: String, earlier: &Ident, name: &Ident) {
        self.report(
            Diagnostic::new(code, name.span, message)
                .label(earlier.span, "first declared here")
                .help("rename or remove one of them"),
        );
    }
}
