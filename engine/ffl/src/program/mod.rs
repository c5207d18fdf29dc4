//! Several texts as one program: names, libraries, references, and compilation.

mod compile;
mod digest;
mod index;
mod library;
mod names;
mod needs;
mod references;
mod site;

pub use compile::{Compiled, compile};
pub use digest::{SourceDigest, digest};
pub use index::{FormIndex, Index, SyntaxIndex};
pub use library::Library;
pub use names::{Candidates, Declared, Found};
pub use references::References;
pub use site::Site;
