//! The bearer token: what a request must bring where the server has one.

use std::fmt;

use anyhow::{Result, bail};
use axum::http::{HeaderMap, header};
use subtle::ConstantTimeEq;

/// Fewer characters than this are guessed.
const SHORTEST: usize = 16;

/// A secret text. It is compared in a time that depends on no more than lengths, and printed nowhere.
///
/// ```
/// use glowgrad_serve::Token;
///
/// let token = Token::new("0123456789abcdef\n").unwrap();
/// assert_eq!(format!("{token:?}"), "Token(…)");
/// assert!(Token::new("short").is_err());
/// ```
#[derive(Clone)]
pub struct Token(String);

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

impl Token {
    /// A token from the text of a file or a variable, without the white space around it.
    ///
    /// # Errors
    /// For fewer than 16 characters, and characters that no header has.
    pub fn new(text: &str) -> Result<Token> {
        let text = text.trim();
        if text.len() < SHORTEST {
            bail!(
                "the token has {} characters, expected at least {SHORTEST}: make one with `openssl rand -hex 32`",
                text.len()
            );
        }
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            bail!("the token has characters that a header cannot carry; use letters and digits");
        }
        Ok(Token(text.to_owned()))
    }

    /// Whether a request has it: `Authorization: Bearer TOKEN`, once.
    pub(crate) fn is_in(&self, headers: &HeaderMap) -> bool {
        let mut values = headers.get_all(header::AUTHORIZATION).iter();
        let (Some(value), None) = (values.next(), values.next()) else {
            return false;
        };
        let value = value.as_bytes();
        let Some((scheme, rest)) = value.split_at_checked(7) else {
            return false;
        };
        scheme.eq_ignore_ascii_case(b"bearer ")
            && bool::from(rest.trim_ascii().ct_eq(self.0.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_brings_the_whole_token_once() {
        let token = Token::new("0123456789abcdef").unwrap();
        let brings = |values: &[&str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(header::AUTHORIZATION, value.parse().unwrap());
            }
            token.is_in(&headers)
        };
        assert!(brings(&["Bearer 0123456789abcdef"]));
        assert!(brings(&["bearer  0123456789abcdef"]));
        for wrong in [
            "",
            "Bearer",
            "Bearer ",
            "Bearer 0123456789abcde",
            "Bearer 0123456789abcdef0",
            "Bearer 0123456789ABCDEF",
            "Basic 0123456789abcdef",
            "0123456789abcdef",
        ] {
            assert!(!brings(&[wrong]), "{wrong:?}");
        }
        assert!(!brings(&[]));
        assert!(!brings(&[
            "Bearer 0123456789abcdef",
            "Bearer 0123456789abcdef"
        ]));
    }
}
