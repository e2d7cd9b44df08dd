//! TeX as one line of text: `1 - y^2` becomes `1 - y²`.
//!
//! Covers what the lessons use. A command it does not know keeps its name, so that nothing is lost.

/// Renders a formula.
pub(crate) fn plain(tex: &str) -> String {
    let mut reader = Reader {
        rest: tex.trim(),
        out: String::new(),
    };
    while !reader.rest.is_empty() {
        reader.step();
    }
    let words: Vec<&str> = reader.out.split_whitespace().collect();
    words.join(" ")
}

struct Reader<'a> {
    rest: &'a str,
    out: String,
}

impl<'a> Reader<'a> {
    fn step(&mut self) {
        let Some(c) = self.rest.chars().next() else {
            return;
        };
        match c {
            '\\' => self.command(),
            '^' | '_' => {
                self.rest = &self.rest[1..];
                let inner = plain(self.argument());
                let table = if c == '^' { SUPERSCRIPTS } else { SUBSCRIPTS };
                let small: Option<String> = inner.chars().map(|c| small(table, c)).collect();
                match small {
                    Some(text) => self.out.push_str(&text),
                    None if inner.chars().count() == 1 => {
                        self.out.push(c);
                        self.out.push_str(&inner);
                    }
                    None => self.out.push_str(&format!("{c}({inner})")),
                }
            }
            '{' => {
                let inner = plain(self.argument());
                self.out.push_str(&inner);
            }
            '-' => self.push("−", 1),
            '&' | '}' | '~' => self.push(" ", 1),
            _ => {
                self.out.push(c);
                self.rest = &self.rest[c.len_utf8()..];
            }
        }
    }

    fn push(&mut self, text: &str, length: usize) {
        self.out.push_str(text);
        self.rest = &self.rest[length..];
    }

    fn command(&mut self) {
        let after = &self.rest[1..];
        let length = after
            .find(|c: char| !c.is_ascii_alphabetic())
            .unwrap_or(after.len());
        if length == 0 {
            // `\,` and `\\` are space; `\{` and the like stand for themselves.
            let c = after.chars().next().unwrap_or(' ');
            let text = match c {
                ',' | ';' | ':' | '!' | '\\' | ' ' => " ".to_string(),
                other => other.to_string(),
            };
            self.out.push_str(&text);
            self.rest = &after[c.len_utf8().min(after.len())..];
            return;
        }
        let name = &after[..length];
        self.rest = &after[length..];
        match name {
            "frac" | "tfrac" | "dfrac" => {
                let top = grouped(&plain(self.argument()));
                let bottom = grouped(&plain(self.argument()));
                self.out.push_str(&format!("{top}/{bottom}"));
            }
            "sqrt" => {
                let inner = grouped(&plain(self.argument()));
                self.out.push_str(&format!("√{inner}"));
            }
            "text" | "mathrm" | "operatorname" | "mathbf" => {
                let inner = self.argument().to_string();
                self.out.push_str(&inner);
            }
            "left" | "right" | "big" | "bigl" | "bigr" | "Big" | "Bigl" | "Bigr" => {}
            _ => match SYMBOLS.iter().find(|(known, _)| *known == name) {
                Some((_, symbol)) => self.out.push_str(symbol),
                None => self.out.push_str(name),
            },
        }
    }

    /// What a command applies to: a group, a command, or one character.
    fn argument(&mut self) -> &'a str {
        self.rest = self.rest.trim_start();
        let rest = self.rest;
        let end = match rest.chars().next() {
            None => 0,
            Some('{') => {
                let mut depth = 0usize;
                let close = rest.char_indices().find(|(_, c)| {
                    match c {
                        '{' => depth += 1,
                        '}' => depth -= 1,
                        _ => {}
                    }
                    depth == 0
                });
                let inner = close.map_or(rest.len(), |(at, _)| at);
                self.rest = rest.get(inner + 1..).unwrap_or("");
                return &rest[1..inner];
            }
            Some('\\') => {
                let name = &rest[1..];
                1 + name
                    .find(|c: char| !c.is_ascii_alphabetic())
                    .unwrap_or(name.len())
            }
            Some(c) => c.len_utf8(),
        };
        self.rest = &rest[end..];
        &rest[..end]
    }
}

/// In parentheses, unless it is one word.
fn grouped(text: &str) -> String {
    if text.chars().all(char::is_alphanumeric) {
        text.to_string()
    } else {
        format!("({text})")
    }
}

fn small(table: &str, c: char) -> Option<char> {
    let mut pairs = table.chars();
    while let (Some(from), Some(to)) = (pairs.next(), pairs.next()) {
        if from == c {
            return Some(to);
        }
    }
    None
}

const SUPERSCRIPTS: &str = "0⁰1¹2²3³4⁴5⁵6⁶7⁷8⁸9⁹−⁻+⁺Tᵀnⁿxˣiⁱkᵏjʲtᵗsˢpᵖyʸ";
const SUBSCRIPTS: &str = "0₀1₁2₂3₃4₄5₅6₆7₇8₈9₉aₐeₑiᵢjⱼkₖnₙtₜxₓsₛ";
const SYMBOLS: [(&str, &str); 37] = [
    ("cdot", "·"),
    ("times", "×"),
    ("approx", "≈"),
    ("le", "≤"),
    ("leq", "≤"),
    ("ge", "≥"),
    ("geq", "≥"),
    ("ne", "≠"),
    ("neq", "≠"),
    ("to", "→"),
    ("rightarrow", "→"),
    ("leftarrow", "←"),
    ("mapsto", "↦"),
    ("in", "∈"),
    ("sum", "∑"),
    ("prod", "∏"),
    ("partial", "∂"),
    ("nabla", "∇"),
    ("infty", "∞"),
    ("pm", "±"),
    ("alpha", "α"),
    ("beta", "β"),
    ("gamma", "γ"),
    ("delta", "δ"),
    ("varepsilon", "ε"),
    ("eta", "η"),
    ("theta", "θ"),
    ("mu", "μ"),
    ("sigma", "σ"),
    ("quad", "  "),
    ("qquad", "  "),
    ("lfloor", "⌊"),
    ("rfloor", "⌋"),
    ("lceil", "⌈"),
    ("rceil", "⌉"),
    ("dots", "…"),
    ("cdots", "⋯"),
];

#[cfg(test)]
mod tests {
    use glowgrad_lesson::{Block, embedded, markdown};

    use super::plain;

    /// Functions keep their names.
    const FUNCTIONS: &[&str] = &["exp", "log", "max", "min", "tanh"];

    #[test]
    fn the_course_has_no_command_that_reads_as_its_name() {
        let mut unknown = Vec::new();
        for lesson in embedded().unwrap() {
            for block in &lesson.blocks {
                let Block::Prose { html } = block else {
                    continue;
                };
                for event in html.events() {
                    if let markdown::Event::InlineMath(tex) | markdown::Event::DisplayMath(tex) =
                        event
                    {
                        let commands = tex.split('\\').skip(1);
                        let names = commands.map(|rest| {
                            let end = rest.find(|c: char| !c.is_ascii_alphabetic());
                            &rest[..end.unwrap_or(rest.len())]
                        });
                        unknown.extend(
                            names
                                .filter(|name| !name.is_empty() && !FUNCTIONS.contains(name))
                                .filter(|name| plain(&format!("\\{name}")) == **name)
                                .map(|name| format!("{}: {name}", lesson.slug)),
                        );
                    }
                }
            }
        }
        assert_eq!(unknown, [""; 0]);
    }

    #[test]
    fn formulas_read_as_text() {
        let cases = [
            (r"1 - y^2", "1 − y²"),
            (r"z = x \cdot y", "z = x · y"),
            (r"y = \tanh(w \cdot x + b)", "y = tanh(w · x + b)"),
            (
                r"\frac{dy}{dw} = \frac{dy}{ds} \cdot \frac{ds}{dw}",
                "dy/dw = dy/ds · ds/dw",
            ),
            (r"1 \cdot 2 \cdot \tfrac12 = 1", "1 · 2 · 1/2 = 1"),
            (r"\frac{1}{1 + |x|}", "1/(1 + |x|)"),
            (r"g_y \cdot (1 - y^2)", "g_y · (1 − y²)"),
            (r"w_0", "w₀"),
            (r"e^{-1} \approx 0.37", "e⁻¹ ≈ 0.37"),
            (r"x^{a+q}", "x^(a+q)"),
            (r"\unknown{x}", "unknownx"),
            (r"\{a\}", "{a}"),
            (r"\frac{a", "a/"),
            (r"a^", "a"),
        ];
        for (tex, text) in cases {
            assert_eq!(plain(tex), text, "{tex}");
        }
    }
}
