//! IAM's wildcards.

/// Whether `text` matches the pattern: `*` is any characters, `?` is one.
pub(crate) fn matches(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<_>, Vec<_>) = (pattern.chars().collect(), text.chars().collect());
    let (mut at, mut seen) = (0, 0);
    // The position of the last `*`, and the end of its match.
    let mut star: Option<(usize, usize)> = None;
    while seen < text.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, seen));
                at += 1;
            }
            Some(&expected) if expected == '?' || expected == text[seen] => {
                at += 1;
                seen += 1;
            }
            _ => match &mut star {
                Some((place, reach)) => {
                    *reach += 1;
                    (at, seen) = (*place + 1, *reach);
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|&rest| rest == '*')
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn a_star_is_any_text_and_a_question_mark_one_character() {
        for (pattern, text) in [
            ("", ""),
            ("*", ""),
            ("s3:*", "s3:GetObject"),
            ("s3:Get*", "s3:GetObject"),
            ("x/*/head", "x/ab/01/head"),
            ("*a*b", "aabab"),
            ("a?c", "abc"),
            ("a?c", "aéc"),
            ("**", "a"),
        ] {
            assert!(matches(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [
            ("", "a"),
            ("s3:Get*", "s3:PutObject"),
            ("x/*/head", "x/ab/heads"),
            ("a?c", "ac"),
            ("*a*b", "aaba"),
            ("A", "a"),
        ] {
            assert!(!matches(pattern, text), "{pattern} {text}");
        }
    }
}
