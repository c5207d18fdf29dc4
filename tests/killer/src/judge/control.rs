//! **I11, I12** No attempt begins while an execution is paused, or after a terminate was absorbed.

use millpond::domain::{Began, Body, Control, Entry};

use super::{Stories, Verdict};

pub(super) fn check(verdict: &mut Verdict, stories: &Stories) {
    for story in stories.values() {
        for (rule, what) in breaches(story.entries()) {
            verdict.must(rule, story.eid, false, || what);
        }
    }
}

/// Returns the attempts that began when none may, with the rule.
fn breaches<'a>(entries: impl Iterator<Item = &'a Entry>) -> Vec<(&'static str, String)> {
    let (mut paused, mut terminated) = (false, false);
    let mut breaches = Vec::new();
    for entry in entries {
        match entry {
            Entry::Paused { .. } => paused = true,
            Entry::Unpaused => paused = false,
            Entry::Received {
                body: Body::Control(Control::Terminate { .. }),
                ..
            } => terminated = true,
            Entry::FrameStarted {
                fid,
                began: Began::Step { attempt, .. },
            } => {
                let begins = format!("{fid} attempt {attempt} began");
                if paused {
                    breaches.push(("I11", format!("{begins} while it was paused")));
                }
                if terminated {
                    breaches.push(("I12", format!("{begins} after a terminate")));
                }
            }
            _ => {}
        }
    }
    breaches
}

#[cfg(test)]
mod tests {
    use millpond::domain::FrameId;

    use super::*;

    #[test]
    fn an_attempt_is_found_that_begins_while_none_may() {
        let began = Began::Step {
            attempt: 1,
            input: None,
        };
        let fid = FrameId::root();
        let started = Entry::FrameStarted { fid, began };
        let reason = "planned".to_owned();
        let (paused, unpaused) = (Entry::Paused { reason }, Entry::Unpaused);
        let rules = |entries: &[&Entry]| {
            let found = breaches(entries.iter().copied());
            found.into_iter().map(|(rule, _)| rule).collect::<Vec<_>>()
        };
        assert_eq!(rules(&[&paused, &unpaused, &started]), [""; 0]);
        assert_eq!(rules(&[&paused, &started]), ["I11"]);
    }
}
