//! Pieces of text with possible line breaks, and where the breaks are.
//!
//! A group is printed on one line if it fits and contains nothing that needs a line of its own;
//! otherwise all of its own breaks are line breaks. Groups in it are decided on their own.

/// The most columns of a line, if there is a place to break it.
pub const WIDTH: usize = 100;

const INDENT: usize = 4;

#[derive(Debug)]
pub(super) enum Piece {
    Text(String),
    /// A comment, whose lines after the first are indented with the text.
    Lines(Vec<String>),
    Space,
    /// A space in a flat group, a line break otherwise.
    Line,
    /// Nothing in a flat group, a line break otherwise.
    Soft,
    /// A line break.
    Hard,
    /// An empty line.
    Blank,
    /// A line of code as it is, after a line break of its own; possibly an empty one.
    Code(String),
    /// The next text begins a new line.
    BreakNext,
    Indent(Pieces),
    Group(Pieces),
}

/// Pieces in order, and the width that they have on one line.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    all: Vec<Piece>,
    /// `None` if they need more than one line.
    flat: Flat,
}

/// The number of columns on one line; `None` if one line is not possible.
#[derive(Clone, Copy, Debug)]
struct Flat(Option<usize>);

impl Default for Flat {
    fn default() -> Self {
        Self(Some(0))
    }
}

impl Pieces {
    pub(super) fn push(&mut self, piece: Piece) {
        let width = match &piece {
            Piece::Text(text) if text.contains('\n') => None,
            Piece::Text(text) => Some(text.chars().count()),
            Piece::Space | Piece::Line => Some(1),
            Piece::Soft => Some(0),
            Piece::Lines(lines) if lines.len() == 1 => Some(lines[0].chars().count()),
            Piece::Lines(_) | Piece::Hard | Piece::Blank | Piece::Code(_) | Piece::BreakNext => {
                None
            }
            Piece::Indent(inner) | Piece::Group(inner) => inner.flat.0,
        };
        self.flat = Flat(self.flat.0.zip(width).map(|(sum, width)| sum + width));
        self.all.push(piece);
    }

    /// Prints the pieces, and ends the last line.
    pub(super) fn render(&self) -> String {
        let mut page = Page::default();
        page.print(self, false);
        if !page.text.is_empty() {
            page.text.push('\n');
        }
        page.text
    }
}

/// The text so far. Blanks are written with the text that follows them, so no line ends in them.
#[derive(Default)]
struct Page {
    text: String,
    column: usize,
    indent: usize,
    /// The line breaks before the next text.
    line_breaks: usize,
    /// The indentation after them.
    break_indent: usize,
    space: bool,
    break_next: bool,
}

impl Page {
    fn print(&mut self, pieces: &Pieces, flat: bool) {
        for piece in &pieces.all {
            match piece {
                Piece::Text(text) => self.write(text),
                Piece::Lines(lines) => {
                    for (number, line) in lines.iter().enumerate() {
                        if number > 0 {
                            self.line_break(1);
                        }
                        self.write(line);
                    }
                }
                Piece::Space => self.space = true,
                Piece::Line if flat => self.space = true,
                Piece::Soft if flat => {}
                Piece::Line | Piece::Soft | Piece::Hard => self.line_break(1),
                Piece::Blank => self.line_break(2),
                Piece::Code(line) => {
                    self.line_break(self.line_breaks + 1);
                    self.write(line);
                }
                Piece::BreakNext => {
                    self.break_next = true;
                    self.break_indent = self.indent;
                }
                Piece::Indent(inner) => {
                    self.indent += INDENT;
                    self.print(inner, flat);
                    self.indent -= INDENT;
                }
                Piece::Group(inner) => {
                    let fits = inner
                        .flat
                        .0
                        .is_some_and(|width| self.next_column() + width <= WIDTH);
                    self.print(inner, fits);
                }
            }
        }
    }

    /// At least this many line breaks before the next text.
    fn line_break(&mut self, count: usize) {
        self.line_breaks = self.line_breaks.max(count);
        self.break_indent = self.indent;
        self.break_next = false;
        self.space = false;
    }

    fn next_column(&self) -> usize {
        if self.line_breaks > 0 || self.break_next || self.text.is_empty() {
            self.break_indent
        } else {
            self.column + usize::from(self.space)
        }
    }

    fn write(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        if self.break_next {
            self.line_breaks = self.line_breaks.max(1);
        }
        if self.text.is_empty() {
            self.line_breaks = 0;
            self.space = false;
        }
        if self.line_breaks > 0 {
            self.text
                .extend(std::iter::repeat_n('\n', self.line_breaks));
            self.text
                .extend(std::iter::repeat_n(' ', self.break_indent));
            self.column = self.break_indent;
        } else if self.space {
            self.text.push(' ');
            self.column += 1;
        }
        self.line_breaks = 0;
        self.break_next = false;
        self.space = false;
        self.text.push_str(text);
        match text.rsplit_once('\n') {
            Some((_, last)) => self.column = last.chars().count(),
            None => self.column += text.chars().count(),
        }
    }
}
