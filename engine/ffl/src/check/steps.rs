//! Steps by name: of a block, and of all blocks of a declaration.

use std::collections::BTreeMap;

use crate::ast::{AndThen, Block, Step};

/// The steps of one block, in text order.
pub(super) struct Steps<'a> {
    steps: Vec<&'a Step>,
    /// The first step of each name.
    by_name: BTreeMap<&'a str, usize>,
}

/// The steps of all `andThen` of a declaration: by name, the blocks that have such a step.
pub(super) struct Siblings<'a> {
    regular: ByName<'a>,
    /// Including the regular ones.
    all: ByName<'a>,
}

/// Steps with the numbers of their blocks, in text order.
type ByName<'a> = BTreeMap<&'a str, Vec<(usize, &'a Step)>>;

impl<'a> Steps<'a> {
    pub(super) fn of(steps: impl IntoIterator<Item = &'a Step>) -> Self {
        let steps: Vec<&Step> = steps.into_iter().collect();
        let mut by_name = BTreeMap::new();
        for (at, step) in steps.iter().enumerate() {
            by_name.entry(step.name.text.as_str()).or_insert(at);
        }
        Self { steps, by_name }
    }

    pub(super) fn of_block(block: &'a Block) -> Self {
        Self::of(&block.steps)
    }

    /// The first step of a name, and its place in the block.
    pub(super) fn find(&self, name: &str) -> Option<(usize, &'a Step)> {
        let at = *self.by_name.get(name)?;
        Some((at, self.steps[at]))
    }
}

impl<'a> Siblings<'a> {
    pub(super) fn of(blocks: &'a [AndThen]) -> Self {
        let (mut regular, mut all) = (ByName::new(), ByName::new());
        for (at, and_then) in blocks.iter().enumerate() {
            let (steps, is_regular): (Vec<&Step>, _) = match and_then {
                AndThen::Block { foreach, block, .. } => {
                    (block.steps.iter().collect(), foreach.is_none())
                }
                AndThen::When { when, .. } => {
                    let cases = when.cases.iter();
                    (cases.flat_map(|case| &case.block.steps).collect(), false)
                }
                AndThen::Script { .. } => (Vec::new(), false),
            };
            for step in steps {
                let name = step.name.text.as_str();
                all.entry(name).or_default().push((at, step));
                if is_regular {
                    regular.entry(name).or_default().push((at, step));
                }
            }
        }
        Self { regular, all }
    }

    /// The step of that name in the last regular block before block `at`; of several in that block,
    /// the first.
    pub(super) fn regular_before(&self, at: usize, name: &str) -> Option<&'a Step> {
        let steps = self.regular.get(name)?;
        let before = steps.partition_point(|(block, _)| *block < at);
        let (last, _) = steps.get(before.checked_sub(1)?)?;
        let first = steps.partition_point(|(block, _)| block < last);
        Some(steps[first].1)
    }

    /// A step of that name in another block than `at`.
    pub(super) fn beside(&self, at: usize, name: &str) -> Option<&'a Step> {
        let steps = self.all.get(name)?;
        let (first, last) = (steps.first()?, steps.last()?);
        let other = [first, last].into_iter().find(|(block, _)| *block != at);
        other.map(|(_, step)| *step)
    }
}
