//! The declarations of one kind by name.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::Site;

/// A declaration, and where it is.
#[derive(Clone, Debug)]
pub struct Declared<'a, T> {
    /// The block that contains it.
    pub site: Arc<Site<'a>>,
    /// Its name in that block.
    pub name: &'a str,
    /// The declaration.
    pub decl: T,
}

impl<T> Declared<'_, T> {
    /// Its name with its namespace.
    #[must_use]
    pub fn qualified(&self) -> String {
        self.site.qualify(self.name)
    }
}

/// What a name denotes.
#[derive(Clone, Debug)]
pub enum Found<'a, T> {
    /// Exactly one declaration.
    One(Declared<'a, T>),
    /// Several declarations.
    Ambiguous(Candidates),
    /// Nothing.
    None,
}

/// What an ambiguous name may denote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidates {
    /// The first qualified names, sorted; at most [`Candidates::LISTED`].
    pub names: Vec<String>,
    /// How many there are.
    pub count: usize,
}

impl Candidates {
    /// The most names that are listed: a message does not grow with the program.
    pub const LISTED: usize = 20;
}

impl fmt::Display for Candidates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.names.join(", "))?;
        match self.count - self.names.len() {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}

impl<'a, T> Found<'a, T> {
    /// The declaration, if there is exactly one.
    #[must_use]
    pub fn one(self) -> Option<Declared<'a, T>> {
        match self {
            Self::One(declared) => Some(declared),
            Self::Ambiguous(_) | Self::None => None,
        }
    }
}

/// The declarations of one short name.
type ByNamespace<'a, T> = BTreeMap<&'a str, Declared<'a, T>>;

/// Declarations by short name, then by namespace. Of equal names in a namespace, the first counts.
#[derive(Clone, Debug)]
pub(super) struct Names<'a, T> {
    by_name: BTreeMap<&'a str, ByNamespace<'a, T>>,
    /// Whether an unqualified name must be unique in the program, unless its own namespace has it.
    unique: bool,
}

impl<'a, T: Copy> Names<'a, T> {
    pub(super) fn new(unique: bool) -> Self {
        Self {
            by_name: BTreeMap::new(),
            unique,
        }
    }

    pub(super) fn add(&mut self, declared: Declared<'a, T>) {
        self.by_name
            .entry(declared.name)
            .or_default()
            .entry(declared.site.namespace)
            .or_insert(declared);
    }

    /// Applies the first rule that gives a result:
    ///
    /// 1. A qualified name denotes exactly that declaration.
    /// 2. A declaration of the current namespace.
    /// 3. A declaration of an imported namespace or of the top level.
    /// 4. The only declaration in the program.
    pub(super) fn resolve(&self, name: &str, site: &Site<'_>) -> Found<'a, T> {
        if let Some((namespace, short)) = name.rsplit_once('.') {
            let named = self.by_name.get(short);
            return named
                .and_then(|named| named.get(namespace))
                .map_or(Found::None, |declared| Found::One(declared.clone()));
        }
        let Some(named) = self.by_name.get(name) else {
            return Found::None;
        };
        if let Some(local) = named.get(site.namespace) {
            return Found::One(local.clone());
        }
        let near = self.near(named, site);
        match near.as_slice() {
            [only] if !self.unique || named.len() == 1 => Found::One((*only).clone()),
            [] if named.len() == 1 => Found::One(named.values().next().expect("one").clone()),
            [] | [_] => ambiguous(named.values(), named.len()),
            several => ambiguous(several.iter().copied(), several.len()),
        }
    }

    /// The declarations of imported namespaces and of the top level, by namespace.
    fn near<'n>(&self, named: &'n ByNamespace<'a, T>, site: &Site<'_>) -> Vec<&'n Declared<'a, T>> {
        // Whichever is shorter: the imports or the declarations.
        if named.len() < site.uses.len() {
            let namespaces = named.iter();
            let is_near = |namespace: &str| namespace.is_empty() || site.uses.contains(namespace);
            return namespaces
                .filter(|(namespace, _)| is_near(namespace))
                .map(|(_, found)| found)
                .collect();
        }
        let top = std::iter::once("");
        let namespaces = top.chain(site.uses.iter().copied());
        namespaces.filter_map(|name| named.get(name)).collect()
    }
}

fn ambiguous<'i, 'a: 'i, T: 'i>(
    candidates: impl Iterator<Item = &'i Declared<'a, T>>,
    count: usize,
) -> Found<'a, T> {
    let candidates = candidates.take(Candidates::LISTED);
    let mut names: Vec<String> = candidates.map(Declared::qualified).collect();
    names.sort();
    Found::Ambiguous(Candidates { names, count })
}
