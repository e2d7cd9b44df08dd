//! Lines that Jupyter takes and Python does not: `!pip install numpy`, `%matplotlib inline`. A syntax error at such
//! a line is answered with one sentence on what is here instead.

/// What to say of a line at which the parser stopped; none where it is no such line.
pub(crate) fn sentence(line: &str) -> Option<String> {
    let line = line.trim();
    if let Some(name) = asked_for_help(line) {
        return Some(format!(
            "'?' asks for help in Jupyter; here 'print({name}.__doc__)' shows an object's description"
        ));
    }
    // `files = !ls` keeps what a command prints.
    let line = match line.split_once("= !") {
        Some((name, command)) if is_name(name.trim()) => &format!("!{command}"),
        _ => line,
    };
    let mut words = line.trim_start_matches(['!', '%']).split_whitespace();
    let (first, second) = (words.next()?, words.next());
    let installs = matches!(first, "pip" | "pip3" | "conda" | "mamba" | "uv") && second.is_some();
    match line.as_bytes()[0] {
        _ if installs && (line.starts_with(['!', '%']) || second == Some("install")) => {
            Some(format!(
                "'{first}' installs nothing here: glowgrad, Python's own library and parts of NumPy, matplotlib and torchvision are here already"
            ))
        }
        b'!' => Some(format!(
            "'!{first}' is a command for Jupyter's shell, and the lab has none: leave the line out"
        )),
        b'%' if first.starts_with(|c: char| c.is_alphabetic()) => {
            let instead = match first {
                "time" | "timeit" => "'time.perf_counter()' measures time",
                "matplotlib" | "pylab" => {
                    "leave the line out: 'matplotlib.pyplot' draws beside the cell without it"
                }
                _ => "leave the line out",
            };
            let sign = if line.starts_with("%%") { "%%" } else { "%" };
            Some(format!(
                "'{sign}{first}' is one of Jupyter's magics and no Python: {instead}"
            ))
        }
        _ => None,
    }
}

/// The name in `x?`, `x.y??` or `?x`.
fn asked_for_help(line: &str) -> Option<&str> {
    let name = line.trim_matches('?').trim();
    (name.len() < line.len() && is_name(name)).then_some(name)
}

/// Whether that is a name, perhaps with dots in it.
fn is_name(text: &str) -> bool {
    text.split('.').all(|part| {
        let mut letters = part.chars();
        letters
            .next()
            .is_some_and(|first| first.is_alphabetic() || first == '_')
            && letters.all(|letter| letter.is_alphanumeric() || letter == '_')
    })
}

#[cfg(test)]
mod tests {
    use super::sentence;

    #[test]
    fn what_jupyter_takes_gets_a_sentence() {
        for line in [
            "!pip install numpy",
            "%pip install -q numpy",
            "pip install numpy",
            "  !conda install x",
        ] {
            let said = sentence(line).unwrap();
            assert!(
                said.contains("installs nothing here: glowgrad, Python's own library and parts of NumPy, matplotlib and torchvision are here already"),
                "{said}"
            );
        }
        assert!(
            sentence("!ls -l")
                .unwrap()
                .starts_with("'!ls' is a command for Jupyter's shell")
        );
        assert!(
            sentence("files = !ls -l")
                .unwrap()
                .starts_with("'!ls' is a command for Jupyter's shell")
        );
        for line in [
            "torch.relu?",
            "torch.relu??",
            "?torch.relu",
            "  ??torch.relu ",
        ] {
            assert_eq!(
                sentence(line).unwrap(),
                "'?' asks for help in Jupyter; here 'print(torch.relu.__doc__)' shows an object's description"
            );
        }
        assert!(
            sentence("%%timeit f(x)")
                .unwrap()
                .starts_with("'%%timeit' is one of Jupyter's magics")
        );
        assert!(
            sentence("%matplotlib inline")
                .unwrap()
                .contains("matplotlib.pyplot")
        );
    }

    #[test]
    fn other_lines_get_none() {
        for line in [
            "",
            "%",
            "!",
            "x = = 1",
            "% 3",
            "pip",
            "uv = = 2",
            "pip.install x",
            "?",
            "x ? y",
            "f(x)?",
            "x + 1 = !ls",
        ] {
            assert_eq!(sentence(line), None, "{line}");
        }
    }
}
