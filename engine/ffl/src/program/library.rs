//! Texts that are added only if their namespaces are missing.

use std::collections::BTreeSet;

use super::needs::Needs;
use crate::parse::parse;
use crate::source::{Origin, SourceError, Sources};

/// The texts of the library folders. The caller reads the folders; the order of texts is the order
/// in which they are added to a program.
#[derive(Clone, Debug, Default)]
pub struct Library {
    texts: Vec<Text>,
}

#[derive(Clone, Debug)]
struct Text {
    name: String,
    text: String,
    needs: Needs,
}

impl Library {
    /// A library without texts.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a text to the library.
    ///
    /// A text with syntax errors is accepted: its errors matter only if a program needs it.
    ///
    /// # Errors
    ///
    /// [`SourceError`] if the bytes are not UTF-8, or if the text alone exceeds the limit.
    pub fn add(&mut self, name: &str, bytes: &[u8]) -> Result<(), SourceError> {
        let mut alone = Sources::new();
        let id = alone.add_bytes(name, Origin::Library, bytes)?;
        self.texts.push(Text {
            name: name.to_owned(),
            text: alone.get(id).text().to_owned(),
            needs: Needs::of(&parse(&alone, id).file),
        });
        Ok(())
    }

    /// Adds to a program each text that contains a namespace which is missing and which a `use`, a
    /// qualified call or a qualified mixin names, until no text can be added.
    ///
    /// # Errors
    ///
    /// [`SourceError::TooLarge`] if the program exceeds its limit.
    pub fn complete(&self, sources: &mut Sources) -> Result<(), SourceError> {
        let mut contained = BTreeSet::new();
        let mut named = BTreeSet::new();
        for (id, _) in sources.iter() {
            let needs = Needs::of(&parse(sources, id).file);
            contained.extend(needs.contains);
            named.extend(needs.names);
        }
        let mut rest: Vec<&Text> = self.texts.iter().collect();
        loop {
            let missing: BTreeSet<String> = named.difference(&contained).cloned().collect();
            let (add, keep): (Vec<&Text>, Vec<&Text>) = rest
                .into_iter()
                .partition(|text| !text.needs.contains.is_disjoint(&missing));
            if add.is_empty() {
                return Ok(());
            }
            for text in add {
                sources.add(&text.name, Origin::Library, &text.text)?;
                contained.extend(text.needs.contains.iter().cloned());
                named.extend(text.needs.names.iter().cloned());
            }
            rest = keep;
        }
    }
}
