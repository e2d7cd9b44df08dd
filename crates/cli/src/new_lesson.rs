//! `glow lesson new`: a small lesson that verifies, to be written over. Its files are under `new_lesson/`.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::terminal::Terminal;

/// The files of the lesson, below its folder.
const FILES: [(&str, &str); 6] = [
    ("lesson.md", include_str!("new_lesson/lesson.md")),
    (
        "exercises/mean-square/start.py",
        include_str!("new_lesson/start.py"),
    ),
    (
        "exercises/mean-square/solution.py",
        include_str!("new_lesson/solution.py"),
    ),
    (
        "exercises/mean-square/checks.py",
        include_str!("new_lesson/checks.py"),
    ),
    (
        "exercises/mean-square/wrong-forgets-the-square.diff",
        include_str!("new_lesson/wrong-forgets-the-square.diff"),
    ),
    (
        "exercises/mean-square/wrong-sums.diff",
        include_str!("new_lesson/wrong-sums.diff"),
    ),
];

/// Writes the lesson as the last of those in a folder, which is made where it is missing.
pub(crate) fn run(terminal: &mut Terminal<'_>, slug: &str, folder: &Path) -> Result<()> {
    let is_slug = slug.starts_with(|c: char| c.is_ascii_lowercase())
        && slug
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
    if !is_slug || slug.len() > 60 {
        bail!(
            "{slug:?} is no name of a lesson: lower case letters, digits and -, a letter first, such as `how-to-add`"
        );
    }
    let number = next_number(folder, slug)?;
    let lesson = folder.join(format!("{number:02}-{slug}"));
    for (name, text) in FILES {
        let path = lesson.join(name);
        let parent = path.parent().unwrap_or(&lesson);
        fs::create_dir_all(parent).with_context(|| format!("cannot make {}", parent.display()))?;
        let text = text.replace("TITLE", &title_of(slug));
        // A file that is there stays.
        OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&path)
            .and_then(|mut file| file.write_all(text.as_bytes()))
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    terminal.line(&format!("{}", lesson.display()))?;
    terminal.line(&format!(
        "glow lesson verify {slug} --lessons {}",
        folder.display()
    ))?;
    Ok(())
}

/// One more than the largest number there. No lesson may have the slug.
fn next_number(folder: &Path, slug: &str) -> Result<u32> {
    let mut largest = 0;
    if !folder.exists() {
        return Ok(1);
    }
    let entries =
        fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    for entry in entries {
        let entry = entry.with_context(|| format!("cannot read {}", folder.display()))?;
        let name = entry.file_name();
        let Some((number, other)) = name.to_str().and_then(|name| name.split_once('-')) else {
            continue;
        };
        let Ok(number) = number.parse::<u32>() else {
            continue;
        };
        if other == slug {
            bail!("{} is there already", entry.path().display());
        }
        largest = largest.max(number);
    }
    Ok(largest + 1)
}

/// `how-to-add` → `How to add`.
fn title_of(slug: &str) -> String {
    let words = slug.replace('-', " ");
    let (first, rest) = words.split_at(1);
    first.to_uppercase() + rest
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::terminal::Terminal;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("glow-new-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        folder
    }

    fn make(slug: &str, folder: &Path) -> Result<()> {
        run(&mut Terminal::plain(&mut Vec::new(), 80), slug, folder)
    }

    #[test]
    fn a_new_lesson_is_complete_and_the_last() {
        let folder = folder("last");
        make("how-to-add", &folder).unwrap();
        make("how-to-subtract", &folder).unwrap();
        let lessons = glowgrad_lesson::load_all(&folder).unwrap();
        assert_eq!(lessons[1].title, "How to subtract");
        assert_eq!((lessons[0].number, lessons[1].number), (1, 2));
        let slugs = ["how-to-add", "how-to-subtract"];
        for lesson in &lessons {
            assert_eq!(lesson.gaps(&slugs), Vec::<String>::new());
        }
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn nothing_is_written_over() {
        let folder = folder("over");
        make("how-to-add", &folder).unwrap();
        let error = make("how-to-add", &folder).unwrap_err().to_string();
        assert!(error.ends_with("01-how-to-add is there already"), "{error}");
        for name in ["", "How", "../up", "1st", "a b"] {
            let error = make(name, &folder).unwrap_err().to_string();
            assert!(error.contains("is no name of a lesson"), "{error}");
        }
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        fs::remove_dir_all(folder).unwrap();
    }
}
