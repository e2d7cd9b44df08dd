//! Which requests are answered: what their headers must say of where they go and where they come from.
//!
//! A page of the web can send requests to 127.0.0.1, and can have a name of its own point there. The
//! browser tells on it: `Host` holds the name that was asked for, `Origin` the page that asks. Both must
//! be this server's, and a session takes the token besides, which no other page has.

use axum::http::header::{HOST, HeaderName, ORIGIN};
use axum::http::request::Parts;

/// What this server is called, and its token.
pub(crate) struct Guard {
    hosts: [String; 2],
    query: String,
}

impl Guard {
    pub(crate) fn new(port: u16, token: &str) -> Guard {
        // Browsers leave out the port that `http:` has by itself.
        let suffix = if port == 80 {
            String::new()
        } else {
            format!(":{port}")
        };
        Guard {
            hosts: ["127.0.0.1", "localhost"].map(|name| format!("{name}{suffix}")),
            query: format!("token={token}"),
        }
    }

    /// Whether the request is addressed to this server by a name that is its own, and as to a server, not
    /// as to a proxy.
    pub(crate) fn is_addressed(&self, request: &Parts) -> bool {
        request.uri.authority().is_none() && self.host(request).is_some()
    }

    /// Whether a session is given: this server's page asks, with the token.
    pub(crate) fn admits(&self, request: &Parts) -> bool {
        let (Some(host), Some(origin)) = (self.host(request), only(request, ORIGIN)) else {
            return false;
        };
        let query = request.uri.query().unwrap_or("");
        origin.strip_prefix("http://") == Some(host) && is_same(query, &self.query)
    }

    fn host<'a>(&self, request: &'a Parts) -> Option<&'a str> {
        only(request, HOST).filter(|host| self.hosts.iter().any(|own| own == host))
    }
}

/// The header, if it is there once.
fn only(request: &Parts, name: HeaderName) -> Option<&str> {
    let mut values = request.headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

/// Compares in a time that depends on the lengths alone.
fn is_same(left: &str, right: &str) -> bool {
    let differs = |(a, b): (u8, u8)| a ^ b;
    left.len() == right.len()
        && left
            .bytes()
            .zip(right.bytes())
            .map(differs)
            .fold(0, |all, one| all | std::hint::black_box(one))
            == 0
}

#[cfg(test)]
mod tests {
    use axum::http::Request;

    use super::*;

    fn request(target: &str, headers: &[(&str, &str)]) -> Parts {
        let mut request = Request::builder().uri(target);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.body(()).unwrap().into_parts().0
    }

    #[test]
    fn a_host_is_this_server_or_refused() {
        let guard = Guard::new(4174, "00ff");
        for host in ["127.0.0.1:4174", "localhost:4174"] {
            assert!(guard.is_addressed(&request("/", &[("host", host)])));
        }
        for host in [
            "127.0.0.1",
            "localhost:80",
            "[::1]:4174",
            "evil.example:4174",
            "",
        ] {
            assert!(
                !guard.is_addressed(&request("/", &[("host", host)])),
                "{host}"
            );
        }
        let own = ("host", "localhost:4174");
        assert!(!guard.is_addressed(&request("/", &[])));
        assert!(!guard.is_addressed(&request("/", &[own, own])));
        assert!(!guard.is_addressed(&request("http://localhost:4174/", &[own])));
        assert!(Guard::new(80, "").is_addressed(&request("/", &[("host", "localhost")])));
    }

    #[test]
    fn a_session_takes_the_servers_own_page_and_the_whole_token() {
        let guard = Guard::new(4174, "00ff");
        let host = ("host", "localhost:4174");
        let asks = |query: &str, origin: &str| {
            guard.admits(&request(
                &format!("/session{query}"),
                &[host, ("origin", origin)],
            ))
        };
        let own = "http://localhost:4174";
        assert!(asks("?token=00ff", own));
        for query in [
            "",
            "?",
            "?token=",
            "?token=00f",
            "?token=00ff0",
            "?token=00FF",
            "?token=00ff&a",
        ] {
            assert!(!asks(query, own), "{query}");
        }
        for origin in [
            "null",
            "https://localhost:4174",
            "http://127.0.0.1:4174",
            "http://localhost:4175",
            "",
        ] {
            assert!(!asks("?token=00ff", origin), "{origin}");
        }
    }
}
