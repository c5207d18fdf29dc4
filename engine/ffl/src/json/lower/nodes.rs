//! Ids and places of nodes.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::form::{Location, Node, Provenance};
use crate::source::{SourceId, Sources, Span};

/// What ids are derived from, together with the text and the path.
const NAMESPACE: Uuid = Uuid::from_u128(0x8f7d_4c1e_52a0_4b36_9d0b_6e2f_c3a1_7754);

/// What a compiled program has beyond ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Detail {
    /// Declarations, blocks, statements and calls have their lines and columns.
    pub locations: bool,
    /// Expressions have them, too, so that a failed evaluation names its place.
    pub expressions: bool,
    /// Each location has the name of its text and why the text is part of the program.
    pub provenance: bool,
}

impl Default for Detail {
    /// Locations, but not of expressions, and without provenance.
    fn default() -> Self {
        Self {
            locations: true,
            expressions: false,
            provenance: false,
        }
    }
}

impl Detail {
    /// What a program has that is to run.
    pub const FULL: Self = Self {
        locations: true,
        expressions: true,
        provenance: true,
    };
}

/// Makes nodes. The path of a node consists of the properties and indexes that lead to it.
pub(super) struct Nodes<'s> {
    sources: &'s Sources,
    detail: Detail,
    /// What the ids of each text begin with.
    prefixes: Vec<String>,
    path: String,
}

impl<'s> Nodes<'s> {
    pub(super) fn new(sources: &'s Sources, detail: Detail) -> Self {
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        let prefixes = sources.iter().map(|(_, source)| {
            let digest = hex(&Sha256::digest(source.text()));
            // Two equal texts have different ids.
            let count = seen.entry(digest.clone()).or_default();
            *count += 1;
            format!("{digest}#{count}")
        });
        Self {
            sources,
            detail,
            prefixes: prefixes.collect(),
            path: String::new(),
        }
    }

    /// The node of the whole program.
    pub(super) fn program(&self) -> Node {
        let first = self.sources.iter().next();
        Node {
            id: Uuid::new_v5(&NAMESPACE, self.prefixes.join("\n").as_bytes()),
            location: first.and_then(|(id, source)| {
                let end = u32::try_from(source.text().len()).expect("a text has at most 4 MiB");
                self.location(Span::new(id, 0, end))
            }),
        }
    }

    /// The node at the current path.
    pub(super) fn node(&self, span: Span) -> Node {
        let name = format!("{}{}", self.prefix(span.source), self.path);
        Node {
            id: Uuid::new_v5(&NAMESPACE, name.as_bytes()),
            location: self.location(span),
        }
    }

    fn prefix(&self, source: SourceId) -> &str {
        &self.prefixes[source.index()]
    }

    pub(super) fn expr_location(&self, span: Span) -> Option<Location> {
        self.detail.expressions.then(|| self.location(span))?
    }

    fn location(&self, span: Span) -> Option<Location> {
        if !self.detail.locations {
            return None;
        }
        let source = self.sources.get(span.source);
        let (from, to) = (source.position(span.start), source.position(span.end));
        let provenance = self.detail.provenance;
        Some(Location {
            line: from.line,
            column: from.column,
            end_line: to.line,
            end_column: to.column,
            source_id: provenance.then(|| source.name().into()),
            provenance: provenance.then(|| Provenance {
                origin: source.origin(),
            }),
        })
    }

    /// Makes nodes below a property or index of the current path.
    pub(super) fn below<T>(
        &mut self,
        part: impl std::fmt::Display,
        make: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let length = self.path.len();
        write!(self.path, "/{part}").expect("a string takes any text");
        let made = make(self);
        self.path.truncate(length);
        made
    }

    /// Makes one thing per item, below the property and the index.
    pub(super) fn list<I, T>(
        &mut self,
        property: &str,
        items: impl IntoIterator<Item = I>,
        mut make: impl FnMut(&mut Self, I) -> T,
    ) -> Vec<T> {
        let mut made = Vec::new();
        for (at, item) in items.into_iter().enumerate() {
            made.push(self.below(format_args!("{property}/{at}"), |nodes| make(nodes, item)));
        }
        made
    }
}

/// Bytes as lower-case hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        write!(text, "{byte:02x}").expect("a string takes any text");
    }
    text
}
