//! A lesson in another language: what is laid over what, which differences are named, and what is stale.

use glowgrad_lesson::{
    Block, Files, Lesson, Prediction, Translated, contents, languages, parse_lesson, translate,
};

const ENGLISH: &str = "---\ntitle: Sums\npart: One\nminutes: 5\noutcome: You add.\n\
stage: graph of cell-1\n---\n## TL;DR\n\nWith one `+` you add as many numbers as you like, in any order.\n\n\
### Two\n\n```python\n1 + 2  # three\n```\n\n\
:::predict choice what\nof: cell-1\nvalue: \"big\" if x > 1 else \"small\"\n\nHow?\n\n- `big`\n- small\n:::\n\
```python cell\nx = 1\n```\n## Exercise\n:::exercise add\nneeds: x of cell-1\n### Add\nDo it.\n\
#### Hint\none\n#### Hint\ntwo\n#### Hint\nthree\n:::\n\
:::quiz q\nWhy?\n\n- [ ] no\n  > wrong\n- [x] yes\n  > right\n:::\n\
:::widget plot curve\ncell: cell-1\n:::\n";

const SPANISH: &str = "---\ntitle: Sumas\npart: Uno\nminutes: 5\noutcome: Sumas.\n\
stage: graph of cell-1\n---\n## En breve\n\nCon un `+` sumas cuantos números quieras.\n\n\
### Dos\n\n```python\n1 + 2  # three\n```\n\n\
:::predict choice what\nof: cell-1\nvalue: \"big\" if x > 1 else \"small\"\n\n¿Cómo?\n\n- grande\n- pequeño\n:::\n\
```python cell\nx = 1\n```\n## Ejercicio\n:::exercise add\nneeds: x of cell-1\n### Suma\nHazlo.\n\
#### Hint\nuno\n#### Hint\ndos\n#### Hint\ntres\n:::\n\
:::quiz q\n¿Por qué?\n\n- [ ] no\n  > mal\n- [x] sí\n  > bien\n:::\n\
:::widget plot curve\ncell: cell-1\n:::\n";

const FOLDER: &str = "01-sums";

fn files(english: &str, spanish: &str) -> Files {
    [
        ("lesson.md", english),
        ("lesson.es.md", spanish),
        ("exercises/add/start.py", "pass\n"),
        ("exercises/add/solution.py", "x = 1\n"),
        (
            "exercises/add/checks.py",
            "def check_x():\n    \"\"\"x is 1.\"\"\"\n    expect(x, 1)\n",
        ),
    ]
    .into_iter()
    .map(|(name, text)| (format!("{FOLDER}/{name}"), text))
    .collect()
}

fn lesson(spanish: &str) -> Lesson {
    parse_lesson(FOLDER, &files(ENGLISH, spanish)).unwrap()
}

/// The text with the hashes of an English text.
fn marked(english: &str, spanish: &str) -> String {
    match translate(FOLDER, &files(english, spanish), "es").unwrap() {
        Translated::Marked(text) => text,
        Translated::Begun(text) => panic!("begun: {text}"),
    }
}

/// What is said of a translation of the English text above.
fn gaps(english: &str, spanish: &str) -> Vec<String> {
    let lesson = parse_lesson(FOLDER, &files(english, spanish)).unwrap();
    lesson.translations[0].gaps(&["sums"])
}

/// Why the Spanish text with one place changed does not fit.
fn complaint(from: &str, to: &str) -> String {
    assert!(SPANISH.contains(from), "{from:?}");
    let lesson = lesson(&SPANISH.replacen(from, to, 1));
    let error = lesson.in_language("es").unwrap().unwrap_err().to_string();
    error.replace("01-sums/lesson.es.md:", "")
}

#[test]
fn text_is_the_translation_s_and_all_else_the_lesson_s() {
    let english = lesson(SPANISH);
    assert_eq!(languages(std::slice::from_ref(&english)), ["es"]);
    assert!(english.in_language("fr").is_none());
    assert_eq!(english.in_language("en").unwrap().unwrap(), &english);
    let spanish = english.in_language("es").unwrap().unwrap();
    assert_eq!(spanish.sections(), ["En breve", "Ejercicio"]);
    assert_eq!(
        (&*spanish.title, &*spanish.part, &*spanish.outcome),
        ("Sumas", "Uno", "Sumas.")
    );
    assert_eq!(spanish.opening, english.opening);
    for (block, was) in spanish.blocks.iter().zip(&english.blocks) {
        match (block, was) {
            (Block::Section { id, .. }, Block::Section { id: was, .. }) => assert_eq!(id, was),
            (Block::Cell { .. }, _) => assert_eq!(block, was),
            (Block::Predict { html, answer, .. }, _) => {
                assert_eq!(html.html(), "<p>¿Cómo?</p>");
                let Prediction::Choice { options } = answer else {
                    panic!("{answer:?}")
                };
                // The run prints the English text.
                assert_eq!(options[1].text, "small");
                assert_eq!(options[1].html.html(), "<p>pequeño</p>");
            }
            (
                Block::Exercise {
                    title,
                    hints,
                    checks,
                    ..
                },
                _,
            ) => {
                assert_eq!(title, "Suma");
                assert_eq!(hints[2].html(), "<p>tres</p>");
                assert!(checks.contains("x is 1."));
            }
            (Block::Quiz { html, options, .. }, _) => {
                assert_eq!(html.html(), "<p>¿Por qué?</p>");
                assert_eq!(options[1].explanation.html(), "<p>bien</p>");
            }
            _ => {}
        }
    }
    let json = serde_json::to_string(&english).unwrap();
    assert!(
        !json.contains("translations") && !json.contains("Sumas"),
        "{json}"
    );
}

#[test]
fn a_block_that_is_missing_or_another_is_named() {
    assert_eq!(
        complaint("## Ejercicio\n", ""),
        "30: :::exercise add; expected a section (##), as in line 30 of lesson.md"
    );
    assert_eq!(
        complaint(":::quiz q\n", ":::quiz p\n"),
        "42: :::quiz p; expected :::quiz q, as in line 42 of lesson.md"
    );
    assert_eq!(
        complaint(":::widget plot curve\ncell: cell-1\n:::\n", ""),
        "49: the end; expected :::widget plot curve, as in line 50 of lesson.md"
    );
    let more = format!("{SPANISH}Fin.\n");
    let error = lesson(&more)
        .in_language("es")
        .unwrap()
        .unwrap_err()
        .clone();
    assert_eq!(
        (error.line, &*error.found, &*error.expected),
        (53, "text", "the end, as in lesson.md")
    );
}

#[test]
fn code_and_keys_that_differ_are_named() {
    assert_eq!(
        complaint("x = 1\n", "y = 1\n"),
        "28: \"y = 1\"; expected \"x = 1\", the code of line 28 of lesson.md"
    );
    assert_eq!(
        complaint("# three", "# tres"),
        "15: \"1 + 2  # tres\"; expected \"1 + 2  # three\", the code of line 15 of lesson.md"
    );
    assert_eq!(
        complaint("```python\n1 + 2  # three\n```\n", ""),
        "24: \"```python cell\"; expected \"```python\", the code of line 14 of lesson.md"
    );
    assert_eq!(
        complaint("### Dos", "#### Dos"),
        "10: headings of the ranks [4]; expected [3], as in line 10 of lesson.md"
    );
    assert!(complaint("x > 1", "x > 2").starts_with("18: value: \"big\" if x > 2"));
    assert!(complaint("- grande\n", "- grande\n- más\n").starts_with("18: 3 options; expected 2"));
    assert!(complaint("needs: x of cell-1\n", "").starts_with("31: other lines `needs:`"));
    let mine = lesson(&SPANISH.replace("needs: x of cell-1", "mine: x"));
    let error = mine.in_language("es").unwrap().unwrap_err();
    assert_eq!((error.line, &*error.found), (31, "other lines `needs:`"));
    assert_eq!(
        complaint("- [ ] no\n", "- [x] no\n"),
        "42: options [x] [x]; expected options [ ] [x], as in line 42 of lesson.md"
    );
    assert_eq!(
        complaint("minutes: 5", "minutes: 6"),
        "4: minutes: 6; expected minutes: 5, as in lesson.md"
    );
    assert!(complaint("stage: graph", "stage: memory").starts_with("6: another line `stage:`"));
}

#[test]
fn what_has_changed_in_english_is_stale() {
    let never = "lesson.es.md: it does not say which English text it was made from; when it is translated, \
                 `glow lesson translate sums es` marks it";
    assert_eq!(gaps(ENGLISH, SPANISH), [never]);
    let spanish = marked(ENGLISH, SPANISH);
    assert_eq!(spanish.lines().count(), SPANISH.lines().count() + 1);
    assert!(spanish.lines().nth(6).unwrap().starts_with("sections: "));
    assert_eq!(gaps(ENGLISH, &spanish), [""; 0]);
    // Blanks at the end of a line are no change.
    assert_eq!(
        gaps(&ENGLISH.replace("Do it.", "Do it. "), &spanish),
        [""; 0]
    );

    let changed = ENGLISH.replace("Do it.", "Do it now.");
    assert_eq!(
        gaps(&changed, &spanish),
        ["lesson.es.md: the section “Exercise” of lesson.md has changed since it was translated"]
    );
    let stale = parse_lesson(FOLDER, &files(&changed, &spanish)).unwrap();
    assert!(stale.in_language("es").unwrap().is_ok());
    // Marked again, the same line has the hashes of now.
    let again = marked(&changed, &spanish);
    assert_eq!(gaps(&changed, &again), [""; 0]);
    assert_eq!(again.lines().count(), spanish.lines().count());

    let titled = ENGLISH.replace("title: Sums", "title: Sums!");
    assert_eq!(
        gaps(&titled, &spanish),
        [
            "lesson.es.md: the title, part or outcome of lesson.md has changed since it was translated"
        ]
    );
    let few = spanish.replace("sections: ", "sections: 0 ");
    assert!(gaps(ENGLISH, &few)[0].contains("4 hashes in its line `sections:`; expected 3"));
}

#[test]
fn a_translation_begins_as_the_english_text_and_says_what_is_english_still() {
    let mut without: Vec<(String, String)> = Vec::new();
    let all = files(ENGLISH, "");
    for path in all.paths().filter(|path| !path.ends_with(".es.md")) {
        without.push((path.to_owned(), all.get(path).unwrap().to_owned()));
    }
    let without: Files = without.into_iter().collect();
    let begun = translate(FOLDER, &without, "es").unwrap();
    assert_eq!(begun, Translated::Begun(ENGLISH.to_owned()));
    let message = translate(FOLDER, &without, "Spanish")
        .unwrap_err()
        .to_string();
    assert!(
        message.contains("the language \"Spanish\"; expected two or three"),
        "{message}"
    );
    let found = gaps(ENGLISH, &marked(ENGLISH, ENGLISH));
    assert_eq!(
        found,
        ["lesson.es.md: the text of line 11 is English still"]
    );
}

#[test]
fn links_of_a_translation_lead_somewhere() {
    let spanish = marked(ENGLISH, &SPANISH.replace("Hazlo.", "[Hazlo](#/lesson/no)."));
    assert_eq!(
        gaps(ENGLISH, &spanish),
        ["lesson.es.md: the link [Hazlo](#/lesson/no) names no lesson of the course"]
    );
}

#[test]
fn a_table_of_contents_says_what_is_english() {
    let first = files(ENGLISH, SPANISH);
    let second = [("02-more/lesson.md", ENGLISH.replace("Sums", "More"))];
    let course: Files = first
        .paths()
        .map(|path| (path.to_owned(), first.get(path).unwrap().to_owned()))
        .chain(second.map(|(path, text)| (path.to_owned(), text)))
        .chain(["start.py", "solution.py", "checks.py"].map(|name| {
            let path = format!("exercises/add/{name}");
            let text = first.get(&format!("{FOLDER}/{path}")).unwrap();
            (format!("02-more/{path}"), text.to_owned())
        }))
        .collect();
    let lessons = course.lessons().unwrap();
    let lines = contents(&lessons, "es");
    let line = |index: usize| {
        let summary = &lines[index];
        (&*summary.title, &*summary.part, summary.untranslated)
    };
    assert_eq!(line(0), ("Sumas", "Uno", false));
    assert_eq!(line(1), ("More", "Uno", true));
    let json = serde_json::to_string(&lines[0]).unwrap();
    assert!(!json.contains("untranslated"), "{json}");
}

#[test]
fn a_key_of_translations_is_none_of_lessons() {
    let english = ENGLISH.replace("stage:", "sections: 1\nstage:");
    let error = parse_lesson(FOLDER, &files(&english, SPANISH)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "01-sums/lesson.md:6: the key \"sections\"; expected one of title, part, minutes, outcome, stage"
    );
}
