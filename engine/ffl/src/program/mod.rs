//! Several texts as one program: what names denote.

mod index;
mod names;
mod site;

pub use index::{FormIndex, Index, SyntaxIndex};
pub use names::{Candidates, Declared, Found};
pub use site::Site;
