//! An edit of a text: lines that are replaced, and what stands in their place.
//!
//! The form is that of a unified diff without line numbers. A hunk is lines that begin with a blank (kept), `-`
//! (taken away) or `+` (put there); an empty line ends it. Invariant: what a hunk keeps and takes away is in the text
//! exactly once, as whole lines, and no two hunks meet, so that an edit means one thing.

/// What is wrong with an edit: in which of its lines (from 0), what was found, what was expected.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Misfit {
    pub(crate) line: usize,
    pub(crate) found: String,
    pub(crate) expected: &'static str,
}

/// Lines to find, and lines to put in their place.
#[derive(Default)]
struct Hunk<'a> {
    /// Its first line in the edit.
    line: usize,
    old: Vec<&'a str>,
    new: Vec<&'a str>,
}

/// The text after an edit.
pub(crate) fn apply(edit: &[&str], text: &str) -> Result<String, Misfit> {
    let lines: Vec<&str> = text.lines().collect();
    let mut places: Vec<(usize, Hunk<'_>)> = Vec::new();
    for hunk in hunks(edit)? {
        let place = place(&hunk, &lines)?;
        let meets = |(other, there): &&(usize, Hunk<'_>)| {
            place < other + there.old.len() && *other < place + hunk.old.len()
        };
        if let Some((_, there)) = places.iter().find(meets) {
            return Err(Misfit {
                line: hunk.line,
                found: format!("lines that hunk {:?} has too", there.old[0]),
                expected: "hunks that do not meet",
            });
        }
        places.push((place, hunk));
    }
    places.sort_by_key(|(place, _)| *place);
    let mut edited: Vec<&str> = Vec::new();
    let mut at = 0;
    for (place, hunk) in &places {
        edited.extend(&lines[at..*place]);
        edited.extend(&hunk.new);
        at = place + hunk.old.len();
    }
    edited.extend(&lines[at..]);
    Ok(edited.join("\n") + "\n")
}

fn hunks<'a>(edit: &[&'a str]) -> Result<Vec<Hunk<'a>>, Misfit> {
    let mut hunks: Vec<Hunk<'_>> = Vec::new();
    let mut in_hunk = false;
    for (line, text) in edit.iter().enumerate() {
        if text.is_empty() {
            in_hunk = false;
            continue;
        }
        if !in_hunk {
            hunks.push(Hunk {
                line,
                ..Hunk::default()
            });
            in_hunk = true;
        }
        let misfit = || Misfit {
            line,
            found: format!("{text:?}"),
            expected: "a line that begins with -, + or a blank",
        };
        let (Some(hunk), Some((mark, rest))) = (hunks.last_mut(), text.split_at_checked(1)) else {
            return Err(misfit());
        };
        match mark {
            "-" => hunk.old.push(rest),
            "+" => hunk.new.push(rest),
            " " => {
                hunk.old.push(rest);
                hunk.new.push(rest);
            }
            _ => return Err(misfit()),
        }
    }
    Ok(hunks)
}

/// Where the lines of a hunk stand.
fn place(hunk: &Hunk<'_>, lines: &[&str]) -> Result<usize, Misfit> {
    let misfit = |found: String, expected| {
        Err(Misfit {
            line: hunk.line,
            found,
            expected,
        })
    };
    let Some(first) = hunk.old.first() else {
        return misfit(
            "lines to add and none to find".to_owned(),
            "a line of the solution before or after them",
        );
    };
    if hunk.old == hunk.new {
        return misfit(
            "a hunk that changes nothing".to_owned(),
            "a line with - or +",
        );
    }
    let windows = lines.windows(hunk.old.len()).enumerate();
    let places: Vec<usize> = windows
        .filter(|(_, window)| *window == hunk.old)
        .map(|(place, _)| place)
        .collect();
    match places[..] {
        [place] => Ok(place),
        _ => misfit(
            format!(
                "{} places in the solution for the lines from {first:?}",
                places.len()
            ),
            "lines that stand there once",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "def f(x):\n    y = x\n    y = x\n    return y\n";

    fn edited(edit: &str) -> Result<String, Misfit> {
        apply(&edit.lines().collect::<Vec<_>>(), TEXT)
    }

    fn misfit(edit: &str) -> (usize, String) {
        let misfit = edited(edit).unwrap_err();
        (misfit.line, misfit.found)
    }

    #[test]
    fn lines_are_replaced_added_and_taken_away() {
        assert_eq!(
            edited("-    return y\n+    return -y").unwrap(),
            "def f(x):\n    y = x\n    y = x\n    return -y\n"
        );
        assert_eq!(
            edited(
                "     y = x\n-    return y\n+    z = y\n+    return z\n\n-def f(x):\n+def f(x, y):"
            )
            .unwrap(),
            "def f(x, y):\n    y = x\n    y = x\n    z = y\n    return z\n"
        );
        assert_eq!(
            edited("-    y = x\n     y = x\n     return y").unwrap(),
            "def f(x):\n    y = x\n    return y\n"
        );
    }

    #[test]
    fn what_is_replaced_stands_there_once() {
        let many = "2 places in the solution for the lines from \"    y = x\"";
        assert_eq!(misfit("\n-    y = x\n+    y = 1"), (1, many.to_owned()));
        let none = "0 places in the solution for the lines from \"    return z\"";
        assert_eq!(
            misfit("-def f(x):\n+def g(x):\n\n-    return z"),
            (3, none.to_owned())
        );
        let meets = "lines that hunk \"def f(x):\" has too";
        let both = "-def f(x):\n-    y = x\n\n-def f(x):\n+def g(x):";
        assert_eq!(misfit(both), (3, meets.to_owned()));
    }

    #[test]
    fn a_line_has_its_mark_and_a_hunk_does_something() {
        assert_eq!(
            misfit("-    return y\nreturn z"),
            (1, "\"return z\"".to_owned())
        );
        assert_eq!(misfit("é"), (0, "\"é\"".to_owned()));
        assert_eq!(misfit("+x").1, "lines to add and none to find");
        assert_eq!(misfit(" def f(x):").1, "a hunk that changes nothing");
    }
}
