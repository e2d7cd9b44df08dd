//! `glow lesson translate`: the file of a lesson in another language, begun as the English text; where it is there, marked
//! as made from the English text of now.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use glowgrad_lesson::{Files, Translated, translate};

use crate::course;
use crate::terminal::Terminal;

/// Writes `lesson.LANGUAGE.md` of the lesson that is meant by a name, below a folder of lessons.
pub(crate) fn run(
    terminal: &mut Terminal<'_>,
    name: &str,
    language: &str,
    folder: &Path,
) -> Result<()> {
    if !folder.is_dir() {
        bail!("{}: no such folder", folder.display());
    }
    let files = Files::read(folder).context("the lessons cannot be read")?;
    let lessons = files.lessons()?;
    let lesson = course::find(&lessons, name)?;
    let below = format!("{:02}-{}", lesson.number, lesson.slug);
    let (text, what) = match translate(&below, &files, language)? {
        Translated::Begun(text) => (text, "begun, as the English text; translate it, then"),
        Translated::Marked(text) => (text, "marked as made from the English text of now;"),
    };
    let path = folder.join(&below).join(format!("lesson.{language}.md"));
    fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    let next = match what.ends_with("then") {
        true => format!("glow lesson translate {} {language}", lesson.slug),
        false => format!("glow lesson verify {}", lesson.slug),
    };
    terminal.line(&format!("{}: {what} {next}", path.display()))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::new_lesson;

    #[test]
    fn a_translation_is_begun_and_then_marked() {
        let folder = std::env::temp_dir().join(format!("glow-translate-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        let mut bytes = Vec::new();
        let mut terminal = Terminal::plain(&mut bytes, 200);
        new_lesson::run(&mut terminal, "how-to-add", &folder).unwrap();
        run(&mut terminal, "how-to-add", "es", &folder).unwrap();
        let file = folder.join("01-how-to-add/lesson.es.md");
        let english = fs::read_to_string(folder.join("01-how-to-add/lesson.md")).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), english);
        run(&mut terminal, "1", "es", &folder).unwrap();
        let marked = fs::read_to_string(&file).unwrap();
        assert_eq!(marked.lines().count(), english.lines().count() + 1);
        assert!(marked.contains("\nsections: "), "{marked}");
        fs::write(
            &file,
            marked.replace("```python cell\n", "```python cell\n# x\n"),
        )
        .unwrap();
        let error = run(&mut terminal, "1", "es", &folder).unwrap_err();
        assert!(error.to_string().starts_with("01-how-to-add/lesson.es.md:"));
        drop(terminal);
        let text = String::from_utf8(bytes).unwrap();
        assert!(text.contains("lesson.es.md: begun"), "{text}");
        assert!(text.contains("lesson.es.md: marked"), "{text}");
        fs::remove_dir_all(folder).unwrap();
    }
}
