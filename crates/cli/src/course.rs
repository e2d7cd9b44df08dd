//! Which lessons there are, and the one that is meant by a name.

use std::path::Path;

use anyhow::{Result, anyhow, bail};
use glowgrad_lesson::{Lesson, contents, embedded, languages, load_all};

use crate::args::Source;
use crate::terminal::{Margin, Role, Span, Terminal};

/// The lessons of a folder, or the ones built in.
pub(crate) fn lessons(source: &Source) -> Result<Vec<Lesson>> {
    let lessons = match &source.folder {
        Some(folder) => {
            if !Path::new(folder).is_dir() {
                bail!("{}: no such folder", folder.display());
            }
            load_all(folder)?
        }
        None => embedded()?,
    };
    if lessons.is_empty() {
        bail!("no lessons here: a lesson is a folder NN-slug with a lesson.md");
    }
    Ok(lessons)
}

/// The lesson with this slug, number, folder name, or the only one whose slug begins so.
pub(crate) fn find<'a>(lessons: &'a [Lesson], name: &str) -> Result<&'a Lesson> {
    let number: Option<u32> = name.parse().ok();
    let is_meant = |lesson: &&Lesson| {
        lesson.slug == name
            || Some(lesson.number) == number
            || format!("{:02}-{}", lesson.number, lesson.slug) == name
    };
    if let Some(lesson) = lessons.iter().find(is_meant) {
        return Ok(lesson);
    }
    let begins = |lesson: &&Lesson| !name.is_empty() && lesson.slug.starts_with(name);
    let mut beginning = lessons.iter().filter(begins);
    if let (Some(lesson), None) = (beginning.next(), beginning.next()) {
        return Ok(lesson);
    }
    let likeness = |lesson: &Lesson| strsim::jaro_winkler(&lesson.slug, name);
    let nearest = lessons
        .iter()
        .max_by(|a, b| likeness(a).total_cmp(&likeness(b)))
        .filter(|lesson| likeness(lesson) > 0.7);
    Err(match nearest {
        Some(lesson) => anyhow!("no lesson {name:?}: did you mean {}?", lesson.slug),
        None => anyhow!("no lesson {name:?}: `glow lesson list` shows them"),
    })
}

/// The lesson in a language. Where it has none, the error says in which it is.
pub(crate) fn in_language<'a>(
    lesson: &'a Lesson,
    course: &[Lesson],
    language: &str,
) -> Result<&'a Lesson> {
    if let Some(translated) = lesson.in_language(language) {
        return Ok(translated.map_err(Clone::clone)?);
    }
    known(course, language)?;
    bail!(
        "the lesson {} is not translated into {language:?} yet",
        lesson.slug
    )
}

/// Fails where no lesson is in a language.
fn known(course: &[Lesson], language: &str) -> Result<()> {
    let languages = languages(course);
    if language == "en" || languages.contains(&language) {
        return Ok(());
    }
    bail!(
        "no lesson is in {language:?}: languages are en, {}",
        languages.join(", ")
    )
}

/// Writes the table of contents in a language.
pub(crate) fn list(terminal: &mut Terminal<'_>, lessons: &[Lesson], language: &str) -> Result<()> {
    known(lessons, language)?;
    let mut part = "";
    for lesson in &contents(lessons, language) {
        if lesson.part != part {
            part = &lesson.part;
            let heading = terminal.paint(Role::Heading, part);
            terminal.line("")?;
            terminal.line(&heading)?;
        }
        let slug = terminal.paint(Role::Code, &lesson.slug);
        let mut about = format!("{} min", lesson.minutes);
        if lesson.untranslated {
            about.push_str(" · en");
        }
        let minutes = terminal.paint(Role::Quiet, &about);
        terminal.line("")?;
        terminal.line(&format!("{:>4}  {}", lesson.number, lesson.title))?;
        terminal.line(&format!("      {slug}  {minutes}"))?;
        let margin = Margin {
            first: "      ",
            rest: "      ",
        };
        terminal.paragraph(
            margin,
            &[Span::new(Role::Plain, lesson.outcome.replace('`', ""))],
        )?;
    }
    terminal.line("")?;
    let hint = terminal.paint(Role::Quiet, "glow lesson run NAME");
    terminal.line(&hint)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn course() -> Vec<Lesson> {
        embedded().unwrap()
    }

    #[test]
    fn lessons_have_several_names() {
        let lessons = course();
        for name in ["read-a-digit", "13", "13-read-a-digit", "read"] {
            assert_eq!(find(&lessons, name).unwrap().slug, "read-a-digit", "{name}");
        }
    }

    #[test]
    fn a_wrong_name_gets_the_nearest() {
        let message = |name| find(&course(), name).unwrap_err().to_string();
        assert_eq!(
            message("read-a-digti"),
            "no lesson \"read-a-digti\": did you mean read-a-digit?"
        );
        assert_eq!(
            message("quarks"),
            "no lesson \"quarks\": `glow lesson list` shows them"
        );
        assert_eq!(
            message("99"),
            "no lesson \"99\": `glow lesson list` shows them"
        );
        assert!(message("").starts_with("no lesson \"\""));
    }

    #[test]
    fn the_list_names_every_lesson() {
        let mut bytes = Vec::new();
        list(&mut Terminal::plain(&mut bytes, 60), &course(), "en").unwrap();
        let text = String::from_utf8(bytes).unwrap();
        for lesson in course() {
            assert!(text.contains(&lesson.title), "{text}");
            assert!(text.contains(&format!("{}  {} min", lesson.slug, lesson.minutes)));
        }
    }

    #[test]
    fn lessons_are_listed_and_read_in_a_language() {
        let course = course();
        let mut bytes = Vec::new();
        list(&mut Terminal::plain(&mut bytes, 60), &course, "es").unwrap();
        let text = String::from_utf8(bytes).unwrap();
        let lesson = in_language(find(&course, "buffer").unwrap(), &course, "es").unwrap();
        assert!(text.contains(&lesson.title), "{text}");
        assert!(!text.contains("buffer  12 min · en"), "{text}");
        assert!(
            text.contains("many-machines  ") && text.contains(" min · en"),
            "{text}"
        );
        let last = find(&course, "many-machines").unwrap();
        let message = |language| {
            in_language(last, &course, language)
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            message("es"),
            "the lesson many-machines is not translated into \"es\" yet"
        );
        assert_eq!(
            message("xx"),
            "no lesson is in \"xx\": languages are en, es"
        );
    }
}
