//! Checks that the values of a type can be stored and read back.

use quote::ToTokens;
use syn::visit::Visit;
use syn::{Lifetime, Type, TypeImplTrait, TypeReference};

use crate::faults::Faults;
use crate::role::Role;

/// The type without the parentheses and invisible groups around it.
pub(super) fn bare(mut of: &Type) -> &Type {
    loop {
        of = match of {
            Type::Group(group) => &group.elem,
            Type::Paren(paren) => &paren.elem,
            bare => return bare,
        };
    }
}

/// Whether this is `name`, with any path; a macro sees only tokens.
pub(super) fn is_named(of: &Type, name: &str) -> bool {
    matches!(bare(of), Type::Path(path)
        if path.path.segments.last().is_some_and(|s| s.ident == name && s.arguments.is_none()))
}

/// Whether this is `name<..>`, with any path.
pub(super) fn is_generic(of: &Type, name: &str) -> bool {
    matches!(bare(of), Type::Path(path)
        if path.path.segments.last().is_some_and(|s| s.ident == name && !s.arguments.is_none()))
}

/// Reports every borrow and every unnamed type in `of`.
pub(super) fn owned(role: Role, of: &Type, faults: &mut Faults) {
    Owned { role, faults }.visit_type(of);
}

struct Owned<'f> {
    role: Role,
    faults: &'f mut Faults,
}

impl<'ast> Visit<'ast> for Owned<'_> {
    fn visit_type_reference(&mut self, borrow: &'ast TypeReference) {
        let noun = self.role.noun();
        let message = format!(
            "a {noun} takes and returns owned values, since they are stored: write `{}`",
            instead_of(borrow)
        );
        self.faults.at(borrow, message);
    }

    fn visit_type_impl_trait(&mut self, unnamed: &'ast TypeImplTrait) {
        let noun = self.role.noun();
        let message = format!(
            "the values of a {noun} are stored and read back, so their types have names: write the type instead of `impl`"
        );
        self.faults.at(unnamed, message);
    }

    fn visit_lifetime(&mut self, lifetime: &'ast Lifetime) {
        if lifetime.ident == "static" {
            return;
        }
        let noun = self.role.noun();
        let message = format!(
            "a {noun} takes and returns owned values, since they are stored: write `'static`, or a type that owns"
        );
        self.faults.at(lifetime, message);
    }
}

/// The owned type of which a borrowed one is usually a view.
fn instead_of(borrow: &TypeReference) -> String {
    match bare(&borrow.elem) {
        Type::Slice(slice) => format!("Vec<{}>", text(&*slice.elem)),
        other if is_named(other, "str") => "String".into(),
        other if is_named(other, "Path") => "PathBuf".into(),
        other => text(other),
    }
}

fn text(of: &impl ToTokens) -> String {
    of.to_token_stream().to_string()
}
