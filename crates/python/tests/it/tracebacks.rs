//! Errors name the learner's cell and line, in Python's words.

use crate::common::lab;

#[test]
fn a_traceback_shows_the_learners_lines() {
    lab(|lab| {
        lab.output("def divide(a, b):\n    # why not\n    return a / b");
        let error = lab.error("x = 1\nprint(divide(x, 0))");
        assert_eq!(
            error.traceback,
            "Traceback (most recent call last):\n  \
             File \"cell 2\", line 2, in <module>\n    print(divide(x, 0))\n          ^^^^^^^^^^^^\n  \
             File \"cell 1\", line 3, in divide\n    return a / b\n           ^^^^^\n\
             ZeroDivisionError: division by zero\n"
        );
        assert_eq!(error.kind, "ZeroDivisionError");
        assert_eq!(error.message, "division by zero");
        assert_eq!(
            (error.cell.as_deref(), error.line),
            (Some("cell 1"), Some(3))
        );
    });
}

#[test]
fn frames_of_our_own_modules_are_left_out() {
    lab(|lab| {
        let error = lab.error(
            "from functools import lru_cache\n@lru_cache\ndef f(x):\n    return 1 / x\nf(0)",
        );
        assert_eq!(
            error.traceback.matches("File").count(),
            2,
            "{}",
            error.traceback
        );
        assert_eq!(error.line, Some(4));
        let error = lab.error("import random\n\nrandom.choice([])");
        assert_eq!((error.kind.as_str(), error.line), ("IndexError", Some(3)));
    });
}

#[test]
fn chained_exceptions_are_shown_in_order() {
    lab(|lab| {
        let error = lab.error(
            "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    raise ValueError('no') from e",
        );
        let text = &error.traceback;
        let first = text
            .find("ZeroDivisionError: division by zero")
            .expect("the cause");
        let link = text.find("direct cause").expect("the link");
        let last = text.find("ValueError: no").expect("the effect");
        assert!(first < link && link < last, "{text}");
        assert_eq!(error.line, Some(4));
        let error = lab.error(
            "try:\n    1 / 0\nexcept ZeroDivisionError:\n    raise ValueError('no') from None",
        );
        assert!(!error.traceback.contains("division"), "{}", error.traceback);
    });
}

#[test]
fn syntax_errors_have_line_and_caret() {
    lab(|lab| {
        let error = lab.error("x = 1\ny = (2 + 3\nz = 4");
        assert_eq!(error.kind, "SyntaxError");
        assert_eq!(
            (error.cell.as_deref(), error.line),
            (Some("cell 1"), Some(2))
        );
        assert_eq!(
            error.traceback,
            "  File \"cell 1\", line 2\n    y = (2 + 3\n        ^\nSyntaxError: '(' was never closed\n"
        );
        let error = lab.error("for i in range(3)\n    print(i)");
        assert_eq!(error.line, Some(1));
        assert!(error.message.contains("':'"), "{}", error.message);
        let error = lab.error("def f():\nreturn 1");
        assert_eq!(
            (error.kind.as_str(), error.line),
            ("IndentationError", Some(2))
        );
        let error = lab.error("return 5");
        assert_eq!((error.kind.as_str(), error.line), ("SyntaxError", Some(1)));
        let error = lab.error("x = 'abc");
        assert_eq!((error.kind.as_str(), error.line), ("SyntaxError", Some(1)));
    });
}

#[test]
fn names_that_are_nearly_right_are_suggested() {
    lab(|lab| {
        let error = lab.error("value = 1\nprint(valeu)");
        assert_eq!(
            error.message,
            "name 'valeu' is not defined. Did you mean: 'value'?"
        );
        let error = lab.error("[].apend(1)");
        assert!(
            error.message.ends_with("Did you mean: 'append'?"),
            "{}",
            error.message
        );
    });
}

#[test]
fn an_exception_of_the_learners_keeps_its_name_and_line() {
    lab(|lab| {
        let error = lab
            .error("class Oops(Exception):\n    pass\n\ndef f():\n    raise Oops('a', 1)\n\nf()");
        assert_eq!((error.kind.as_str(), error.line), ("Oops", Some(5)));
        assert_eq!(error.message, "('a', 1)");
        let error = lab.error("class Bad(Exception):\n    def __str__(self): return 1\nraise Bad");
        assert_eq!(error.message, "<str() of the exception failed>");
        let error = lab.error("assert 1 == 2, 'one is not two'");
        assert_eq!(error.to_string(), "AssertionError: one is not two");
    });
}

#[test]
fn variables_survive_an_error() {
    lab(|lab| {
        lab.error("a = 1\nb = 2\nraise ValueError");
        assert_eq!(lab.output("a + b"), "3\n");
    });
}
