//! What the parser makes of a lesson, and what it says about each mistake.

use glowgrad_lesson::{Block, Files, Lesson, Wrong, parse_lesson};
use serde_json::json;

pub(crate) const FRONT: &str =
    "---\ntitle: Sums: a start\npart: One\nminutes: 5\noutcome: You add.\n---\n";
const EXERCISE: &str =
    ":::exercise add\n### Add\nDo it.\n#### Hint\none\n#### Hint\ntwo\n#### Hint\nthree\n:::\n";
const QUIZ: &str = ":::quiz q\nWhy?\n\n- [ ] no\n  > wrong\n- [x] yes\n  > right\n:::\n";

/// A lesson with this text after the front matter, and one exercise `add`.
fn files(text: &str) -> Files {
    let folder = "01-sums";
    [
        ("lesson.md", format!("{FRONT}{text}")),
        ("exercises/add/start.py", "pass\n".to_string()),
        ("exercises/add/solution.py", "x = 1\n".to_string()),
        (
            "exercises/add/checks.py",
            "def check_x():\n    \"\"\"x is 1.\"\"\"\n    expect(x, 1)\n".to_string(),
        ),
    ]
    .into_iter()
    .map(|(name, text)| (format!("{folder}/{name}"), text))
    .collect()
}

pub(crate) fn parse(text: &str) -> Lesson {
    parse_lesson("01-sums", &files(text)).unwrap()
}

/// The message about a text, without the file's name; line 7 is the text's first.
pub(crate) fn complaint(text: &str) -> String {
    let error = parse_lesson("01-sums", &files(text)).unwrap_err();
    let message = error.to_string();
    message
        .strip_prefix("01-sums/lesson.md:")
        .unwrap_or(&message)
        .to_string()
}

fn html(text: &str) -> String {
    match &parse(text).blocks[..] {
        [Block::Prose { html }] => html.html().to_string(),
        other => panic!("expected one prose block, got {other:?}"),
    }
}

#[test]
fn a_lesson_becomes_blocks_in_order() {
    let lesson = parse(&format!(
        "## TL;DR\n\nAdd.\n\n```python cell\nx = 1\n\nprint(x)\n```\nMore.\n{EXERCISE}{QUIZ}\
         :::widget digit-pad pad\nfunction: classify\n:::\n"
    ));
    assert_eq!(
        serde_json::to_value(&lesson).unwrap(),
        json!({
            "slug": "sums", "number": 1, "title": "Sums: a start", "part": "One", "minutes": 5,
            "outcome": "You add.",
            "blocks": [
                {"type": "section", "id": "tl-dr", "title": "TL;DR"},
                {"type": "prose", "html": "<p>Add.</p>"},
                {"type": "cell", "id": "cell-1", "source": "x = 1\n\nprint(x)\n"},
                {"type": "prose", "html": "<p>More.</p>"},
                {"type": "exercise", "id": "add", "title": "Add", "html": "<p>Do it.</p>",
                 "start": "pass\n", "solution": "x = 1\n",
                 "checks": "def check_x():\n    \"\"\"x is 1.\"\"\"\n    expect(x, 1)\n",
                 "hints": ["<p>one</p>", "<p>two</p>", "<p>three</p>"]},
                {"type": "quiz", "id": "q", "html": "<p>Why?</p>", "options": [
                    {"html": "<p>no</p>", "correct": false, "explanation": "<p>wrong</p>"},
                    {"html": "<p>yes</p>", "correct": true, "explanation": "<p>right</p>"}]},
                {"type": "widget", "id": "pad", "kind": "digit-pad",
                 "options": {"function": "classify"}},
            ],
        })
    );
}

#[test]
fn cells_may_have_names() {
    let lesson = parse("```python cell train\nx = 1\n```\n```python cell\ny = 1\n```\n");
    let ids: Vec<&str> = lesson
        .blocks
        .iter()
        .filter_map(|block| match block {
            Block::Cell { id, .. } => Some(id.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(ids, ["train", "cell-2"]);
}

#[test]
fn math_stays_tex_in_an_attribute() {
    assert_eq!(
        html("So $a < b$ holds."),
        r#"<p>So <span class="math" data-tex="a &lt; b"></span> holds.</p>"#
    );
    assert_eq!(
        html("It is\n\n$$\n\\frac{a}{\"b\"}\n$$\n"),
        "<p>It is</p>\n<div class=\"math\" data-tex=\"\\frac{a}{&quot;b&quot;}\"></div>"
    );
    assert_eq!(
        html("`$a$` costs 5 $."),
        "<p><code>$a$</code> costs 5 $.</p>"
    );
}

#[test]
fn raw_html_is_dropped() {
    assert_eq!(
        html("Press <b onclick=\"x()\">here</b>.\n\n<script>alert(1)</script>\n\nEnd."),
        "<p>Press here.</p>\n<p>End.</p>"
    );
}

#[test]
fn code_is_escaped_and_shapes_are_not_links() {
    assert_eq!(
        html("The shape [2, 3].\n\n```python\nif a < b: pass\n## not a section\n```\n"),
        "<p>The shape [2, 3].</p>\n<pre><code class=\"language-python\">if a &lt; b: pass\n\
         ## not a section\n</code></pre>"
    );
}

#[test]
fn a_fence_in_a_list_is_prose() {
    let blocks = parse("- item\n\n  ```python\n  :::quiz\n  ```\n").blocks;
    assert!(matches!(blocks[..], [Block::Prose { .. }]), "{blocks:?}");
}

#[test]
fn quiz_text_may_run_over_lines() {
    let lesson = parse(
        ":::quiz q\nWhat is\n`x`?\n\n- [x] one\n  more\n  > because\n  >\n  > really\n\n- [ ] two\n  > no\n:::\n",
    );
    let Block::Quiz { html, options, .. } = &lesson.blocks[0] else {
        panic!("expected a quiz");
    };
    assert_eq!(html.html(), "<p>What is\n<code>x</code>?</p>");
    assert_eq!(options[0].html.html(), "<p>one\nmore</p>");
    assert_eq!(
        options[0].explanation.html(),
        "<p>because</p>\n<p>really</p>"
    );
}

#[test]
fn front_matter_is_checked() {
    let cases = [
        (
            "",
            r#"1: the file begins with ""; expected front matter: a line ---"#,
        ),
        (
            "---\ntitle: A\n",
            "2: front matter that does not end; expected a line ---",
        ),
        (
            "---\ntitle: A\n---\n",
            "3: front matter without part; expected all of title, part, minutes, outcome",
        ),
        (
            "---\ntitle\n---\n",
            r#"2: "title" in the front matter; expected key: value"#,
        ),
        (
            "---\ntitle:\n---\n",
            "2: title has no value; expected key: value",
        ),
        (
            "---\nminutes: soon\n---\n",
            "2: minutes: soon; expected a whole number of minutes, 1 or more",
        ),
        (
            "---\nauthor: me\n---\n",
            r#"2: the key "author"; expected one of title, part, minutes, outcome, stage"#,
        ),
    ];
    for (text, expected) in cases {
        let files: Files = [("01-sums/lesson.md", text)].into_iter().collect();
        let error = parse_lesson("01-sums", &files).unwrap_err().to_string();
        assert_eq!(error, format!("01-sums/lesson.md:{expected}"));
    }
}

#[test]
fn folders_are_checked() {
    for folder in ["sums", "1-sums", "01-Sums", "01-", "01_sums"] {
        let error = parse_lesson(folder, &Files::default()).unwrap_err();
        assert!(error.expected.starts_with("NN-slug"), "{folder}: {error}");
    }
    let error = parse_lesson("01-sums", &Files::default()).unwrap_err();
    assert_eq!(error.found, "no such file");
}

#[test]
fn the_text_is_checked() {
    let cases = [
        (
            "# Title\n",
            "7: the heading \"# Title\"; expected ## for a section",
        ),
        (
            "```python cell\nx = 1\n",
            "7: a code fence that is not closed; expected ```",
        ),
        (
            "```python cell\n\n```\n",
            "8: a cell without code; expected Python",
        ),
        (
            "```python run now\n```\n",
            "7: a fence marked \"python run now\"; expected `python cell`",
        ),
        (
            "> ```python cell\n> x\n> ```\n",
            "7: a fence marked \"python cell\"; expected one language name",
        ),
        ("a\n:::\n", "8: \":::\" is not closed"),
        (
            ":::\n:::\n",
            "7: ::: that closes nothing; expected a directive",
        ),
        (
            ":::quiz q\nWhy?\n",
            "7: \":::quiz q\" is not closed; expected a line :::",
        ),
        (
            ":::quiz q\n:::quiz r\n:::\n",
            "8: \":::quiz r\" inside a directive; expected ::: to close the one of line 7",
        ),
        (
            ":::note a\n:::\n",
            "7: :::note a; expected :::exercise id, :::quiz id, :::predict kind id or :::widget kind id",
        ),
        (
            ":::quiz Q\n:::\n",
            "7: the id \"Q\"; expected lower case letters, digits and -",
        ),
        (
            "## A\n## A\n",
            "8: the id \"a\" again; expected an id of its own",
        ),
        (
            "one\n\n![a](b.png)\n",
            "9: a picture (b.png); expected text, math or code",
        ),
        (
            "one\n[a](javascript:x)\n",
            "8: a link to \"javascript:x\"; expected https://",
        ),
        (
            "one\n[a](http://a.b)\n",
            "8: a link to \"http://a.b\"; expected https://",
        ),
        (
            "one [two][three]\n",
            "7: a link to [three], which is not defined here; expected [text](target)",
        ),
    ];
    for (text, expected) in cases {
        let complaint = complaint(text);
        assert!(complaint.starts_with(expected), "{text:?} gave {complaint}");
    }
}

#[test]
fn quizzes_are_checked() {
    let quiz = |inner: &str| complaint(&format!(":::quiz q\n{inner}\n:::\n"));
    assert_eq!(
        quiz("- [ ] a\n  > b"),
        "7: a quiz without a question; expected a question, then options"
    );
    assert_eq!(
        quiz("Why?\n- [x] a\n  > b"),
        "7: 1 options; expected two or more: - [ ] text, - [x] correct"
    );
    assert_eq!(
        quiz("Why?\n- [ ] a\n  > b\n- [ ] c\n  > d"),
        "7: no correct option; expected one or more marked - [x]"
    );
    assert_eq!(
        quiz("Why?\n- [ ] a\n- [x] c\n  > d"),
        "9: the option \"a\" without an explanation; expected a line `  > why` below it"
    );
    assert_eq!(
        quiz("Why?\n- [ ] a\n  > b\n  c\n- [x] c\n  > d"),
        "11: \"  c\"; expected the explanation (>) last in its option"
    );
    assert!(quiz("Why?\n- [ ] a\n> b").starts_with("10: \"> b\"; expected two blanks"));
}

#[test]
fn exercises_are_checked() {
    let hints = |n: usize| "#### Hint\nlook\n".repeat(n);
    let exercise = |inner: &str| complaint(&format!(":::exercise add\n{inner}:::\n"));
    assert_eq!(
        exercise("Do it.\n"),
        "8: an exercise without a title; expected ### Title"
    );
    assert_eq!(
        exercise(&format!("### Add\nDo it.\n{}", hints(2))),
        "7: 2 hints for the exercise \"add\"; expected three parts #### Hint"
    );
    assert_eq!(
        exercise(&format!("### Add\nDo it.\n{}#### Answer\n1\n", hints(3))),
        "16: the heading \"Answer\"; expected #### Hint"
    );
    assert_eq!(
        exercise("### Add\nDo it.\n#### Hint\n\n"),
        "10: an empty hint; expected a hint"
    );
    let other = complaint(&EXERCISE.replace("add", "sub"));
    assert_eq!(
        other,
        "7: the exercise \"sub\" without start.py; expected the file 01-sums/exercises/sub/start.py"
    );
}

#[test]
fn checks_are_checked() {
    let with_checks = |checks: &str| {
        let files: Files = [
            ("01-sums/lesson.md", format!("{FRONT}{EXERCISE}").as_str()),
            ("01-sums/exercises/add/start.py", "pass"),
            ("01-sums/exercises/add/solution.py", "pass"),
            ("01-sums/exercises/add/checks.py", checks),
        ]
        .into_iter()
        .collect();
        parse_lesson("01-sums", &files).unwrap_err().to_string()
    };
    assert_eq!(
        with_checks("\n\ndef check_a(): pass\n"),
        "01-sums/exercises/add/checks.py:3: check_a without a docstring; \
         expected a sentence that says what must hold"
    );
    assert_eq!(
        with_checks("x = 1\n"),
        "01-sums/exercises/add/checks.py:1: no check; expected a function check_…"
    );
    assert_eq!(
        with_checks(" \n"),
        "01-sums/exercises/add/checks.py:1: an empty file; expected Python"
    );
}

#[test]
fn wrong_submissions_say_what_the_learner_must_be_told() {
    let text = format!("{FRONT}{EXERCISE}");
    let with = |file: &str, code: &str| {
        let folder = "01-sums/exercises/add";
        let files: Files = [
            ("01-sums/lesson.md".to_string(), text.as_str()),
            (format!("{folder}/start.py"), "pass"),
            (format!("{folder}/solution.py"), "pass"),
            (
                format!("{folder}/checks.py"),
                "def check_x():\n    \"\"\"x is 1.\"\"\"\n",
            ),
            (format!("{folder}/{file}"), code),
        ]
        .into_iter()
        .collect();
        parse_lesson("01-sums", &files)
    };
    let lesson = with("wrong-sign.py", "# must say:  x is 1. \nx = -1\n").unwrap();
    let Block::Exercise { wrong, .. } = &lesson.blocks[0] else {
        panic!("expected an exercise");
    };
    assert_eq!(
        wrong[..],
        [Wrong {
            name: "wrong-sign".to_string(),
            must_say: "x is 1.".to_string(),
            source: "# must say:  x is 1. \nx = -1\n".to_string(),
        }]
    );
    let json = serde_json::to_string(&lesson).unwrap();
    assert!(!json.contains("x = -1"), "the page must not get {json}");
    assert!(
        lesson.gaps(&[]).contains(
            &"1 wrong submissions for the exercise add; expected 2 or more files \
          exercises/add/wrong-….diff"
                .to_string()
        )
    );

    let refused = |file: &str, code: &str| with(file, code).unwrap_err().to_string();
    assert_eq!(
        refused("wrong-sign.py", "x = -1\n"),
        "01-sums/exercises/add/wrong-sign.py:1: the first line \"x = -1\"; expected # must say: \
         words of the message that the learner must see"
    );
    assert_eq!(
        refused("wrong-sign.py", "# must say: \nx = -1\n")
            .split(';')
            .next(),
        Some("01-sums/exercises/add/wrong-sign.py:1: the first line \"# must say: \"")
    );
    assert_eq!(
        refused("wrong-sign.py", "# must say: a\n\n"),
        "01-sums/exercises/add/wrong-sign.py:2: no code; expected a wrong submission"
    );
    for file in ["wrong_sign.py", "wrong.py", "wrong-.py", "wrong-Sign.py"] {
        let error = with(file, "# must say: a\nx\n").unwrap_err();
        assert!(error.found.contains(file), "{error}");
    }
}

#[test]
fn a_wrong_submission_is_an_edit_of_the_solution() {
    let text = format!("{FRONT}{EXERCISE}");
    let with = |edit: &str| {
        let folder = "01-sums/exercises/add";
        let files: Files = [
            ("01-sums/lesson.md".to_string(), text.as_str()),
            (format!("{folder}/start.py"), "pass"),
            (format!("{folder}/solution.py"), "x = 1\ny = x\ny = x\n"),
            (
                format!("{folder}/checks.py"),
                "def check_x():\n    \"\"\"x is 1.\"\"\"\n",
            ),
            (format!("{folder}/wrong-sign.diff"), edit),
        ]
        .into_iter()
        .collect();
        parse_lesson("01-sums", &files)
    };
    let lesson = with("# must say: x is 1.\n-x = 1\n+x = -1\n").unwrap();
    let Block::Exercise { wrong, .. } = &lesson.blocks[0] else {
        panic!("expected an exercise");
    };
    assert_eq!(
        wrong[..],
        [Wrong {
            name: "wrong-sign".to_string(),
            must_say: "x is 1.".to_string(),
            source: "x = -1\ny = x\ny = x\n".to_string(),
        }]
    );

    let refused = |edit: &str| with(edit).unwrap_err().to_string();
    assert_eq!(
        refused("# must say: x is 1.\n\n-y = x\n+y = 2\n"),
        "01-sums/exercises/add/wrong-sign.diff:3: 2 places in the solution for the lines from \
         \"y = x\"; expected lines that stand there once"
    );
    assert_eq!(
        refused("# must say: x is 1.\n-x = 1\nx = -1\n"),
        "01-sums/exercises/add/wrong-sign.diff:3: \"x = -1\"; expected a line that begins with -, + \
         or a blank"
    );
    assert_eq!(
        refused("# must say: x is 1.\n\n"),
        "01-sums/exercises/add/wrong-sign.diff:2: no code; expected a wrong submission"
    );
}

#[test]
fn widgets_are_checked() {
    assert_eq!(
        complaint(":::widget globe g\n:::\n"),
        "7: the widget \"globe\"; expected one of digit-pad, memory, strides, bits, broadcast, graph, kernels, plot"
    );
    assert_eq!(
        complaint(":::widget digit-pad g\n:::\n"),
        "7: the widget \"g\" without function; expected a line function: value"
    );
    assert_eq!(
        complaint(":::widget digit-pad g\nclassify\n:::\n"),
        "8: \"classify\"; expected key: value"
    );
}

#[test]
fn two_lessons_may_not_share_a_number_or_a_slug() {
    for (one, two) in [("01-a", "01-b"), ("01-a", "02-a")] {
        let files: Files = [one, two]
            .map(|folder| (format!("{folder}/lesson.md"), FRONT))
            .into_iter()
            .collect();
        let error = files.lessons().unwrap_err();
        assert!(error.found.contains("01-a"), "{error}");
    }
}

#[test]
fn gaps_name_what_a_lesson_lacks() {
    let lesson = parse(&format!(
        "## TL;DR\n[a](#/lesson/none) [b](#/play) [c](#/lesson/sums) [d](#/other)\n{QUIZ}"
    ));
    let gaps = lesson.gaps(&["sums"]);
    assert_eq!(
        gaps,
        [
            "the sections are TL;DR; expected TL;DR · Mental model · Walk-through · Exercise · \
             Quick check · Key takeaways · Go deeper",
            "nothing for the stage to open with; expected a line `stage: graph of cell-1` in the \
             front matter",
            "1 quiz questions; expected 3 or more",
            "0 predictions; expected 3 or more",
            "no exercise; expected one or more",
            "no cell to run; expected one or more",
            "the link [a](#/lesson/none) names no lesson of the course",
            "the link [d](#/other) is neither https:// nor a page of the lab (#/, #/play, \
             #/lesson/<slug>, #/studio/1/<network>)",
        ]
    );
}

#[test]
fn an_exercise_says_which_cells_it_needs() {
    let cell = "```python cell model\nm = 1\n```\n";
    let needing = |line: &str| {
        let exercise = EXERCISE.replacen("### Add", &format!("{line}\n### Add"), 1);
        format!("{cell}{exercise}")
    };
    let lesson = parse(&needing("needs: m, _n2 of model"));
    let Block::Exercise { needs, .. } = &lesson.blocks[1] else {
        panic!("no exercise")
    };
    assert_eq!(needs[0].cell, "model");
    assert_eq!(needs[0].names, ["m", "_n2"]);
    let value = serde_json::to_value(&lesson).unwrap();
    let told = json!([{"cell": "model", "names": ["m", "_n2"]}]);
    assert_eq!(value["blocks"][1]["needs"], told);

    for (line, expected) in [
        (
            "Do.",
            "11: \"Do.\"; expected ### Title, or before it: needs: NAME, NAME of CELL, or mine: NAME",
        ),
        (
            "needs: model",
            "11: \"needs: model\"; expected ### Title, or before it: needs: NAME, NAME of CELL, or mine: NAME",
        ),
        (
            "needs: m of other",
            "11: \"other\", which is no cell above; expected one of model",
        ),
        (
            "needs: 2 of model",
            "11: the name \"2\"; expected a variable",
        ),
        (
            "needs: m of model\nneeds: n of model",
            "12: \"model\" again; expected all its names in one line",
        ),
    ] {
        assert_eq!(complaint(&needing(line)), expected);
    }
}

#[test]
fn an_exercise_may_give_a_piece_of_mine() {
    let giving = |line: &str| EXERCISE.replacen("### Add", &format!("{line}\n### Add"), 1);
    let lesson = parse(&giving("mine: add"));
    let Block::Exercise { mine, .. } = &lesson.blocks[0] else {
        panic!("no exercise")
    };
    assert_eq!(mine.as_deref(), Some("add"));
    let value = serde_json::to_value(&lesson).unwrap();
    assert_eq!(value["blocks"][0]["mine"], "add");

    let cell = "```python cell model\nm = 1\n```\n";
    for (text, expected) in [
        (giving("mine: 2"), "8: the name \"2\"; expected a variable"),
        (
            giving("mine: a\nmine: b"),
            "9: mine: b too; expected one name",
        ),
        (
            format!("{cell}{}", giving("needs: m of model\nmine: a")),
            "11: needs: and mine:; expected mine: alone, because a piece is imported where no cell ran",
        ),
    ] {
        assert_eq!(complaint(&text), expected);
    }
}
