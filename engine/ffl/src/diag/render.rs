//! Diagnostics drawn with the lines that they are about, for a terminal.

use std::fmt;
use std::ops::Range;

use ariadne::{Cache, Color, Config, IndexType, Label, Report, ReportKind, Source};

use super::{Diagnostic, Severity};
use crate::source::{SourceId, Sources, Span};

/// Draws each diagnostic with its source lines, labels and help, with an empty line after it.
#[must_use]
pub fn render(diagnostics: &[Diagnostic], sources: &Sources, color: bool) -> String {
    let mut drawn = Vec::new();
    let mut texts = Texts::new(sources);
    for diagnostic in diagnostics {
        report(diagnostic, color)
            .write(&mut texts, &mut drawn)
            .expect("a vector takes any number of bytes");
        drawn.push(b'\n');
    }
    let drawn = String::from_utf8_lossy(&drawn);
    drawn
        .lines()
        .flat_map(|line| [line.trim_end(), "\n"])
        .collect()
}

type Place = (SourceId, Range<usize>);

fn report(diagnostic: &Diagnostic, color: bool) -> Report<'_, Place> {
    let (kind, shade) = match diagnostic.severity() {
        Severity::Error => (ReportKind::Error, Color::Red),
        Severity::Warning => (ReportKind::Warning, Color::Yellow),
    };
    let labels = diagnostic.labels.iter();
    let config = Config::default()
        .with_index_type(IndexType::Byte)
        .with_color(color);
    let mut report = Report::build(kind, place(diagnostic.span))
        .with_config(config)
        .with_code(diagnostic.code)
        .with_message(&diagnostic.message)
        .with_label(
            Label::new(place(diagnostic.span))
                .with_message("here")
                .with_color(shade),
        )
        .with_labels(labels.map(|label| Label::new(place(label.span)).with_message(&label.text)));
    if let Some(help) = &diagnostic.help {
        report = report.with_help(help);
    }
    report.finish()
}

fn place(span: Span) -> Place {
    (span.source, span.range())
}

/// The texts as the drawing needs them.
struct Texts<'a> {
    sources: &'a Sources,
    lines: Vec<Source<&'a str>>,
}

impl<'a> Texts<'a> {
    fn new(sources: &'a Sources) -> Self {
        let lines = sources
            .iter()
            .map(|(_, source)| Source::from(source.text()))
            .collect();
        Self { sources, lines }
    }
}

impl<'a> Cache<SourceId> for Texts<'a> {
    type Storage = &'a str;

    fn fetch(&mut self, id: &SourceId) -> Result<&Source<&'a str>, impl fmt::Debug> {
        self.lines
            .get(id.index())
            .ok_or("the text is not one of these sources")
    }

    fn display<'b>(&self, id: &'b SourceId) -> Option<impl fmt::Display + 'b> {
        Some(self.sources.get(*id).name().to_owned())
    }
}
