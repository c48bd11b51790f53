//! HTTP, as far as a page on this machine needs it: requests without a body, each on a connection of its own.
//!
//! (The small servers among the packages keep connections open and hand them to a pool of threads, where a browser's
//! sixth waits for ever.)

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

/// The longest head of a request.
const LONGEST: usize = 16 << 10;
/// How long a client may keep silent.
const PATIENCE: Duration = Duration::from_secs(10);
/// Requests that are answered at once.
const AT_ONCE: usize = 64;
/// The stack of a thread that answers: state expressions nest as deep as models.
const STACK: usize = 64 << 20;

/// A request.
pub struct Request {
    pub method: String,
    pub target: String,
    headers: Vec<(String, String)>,
}

impl Request {
    /// The value of a header; the last one if there are several.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut all = self.headers.iter().rev();
        let found = all.find(|(n, _)| n.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// A request's head; nothing if it is none.
    fn parse(head: &str) -> Option<Request> {
        let mut lines = head.split("\r\n");
        let mut words = lines.next()?.split(' ');
        let (method, target, version) = (words.next()?, words.next()?, words.next()?);
        if words.next().is_some() || !version.starts_with("HTTP/1.") {
            return None;
        }
        let header = |line: &str| {
            let (name, value) = line.split_once(':')?;
            Some((name.to_string(), value.trim().to_string()))
        };
        Some(Request {
            method: method.to_string(),
            target: target.to_string(),
            headers: lines
                .filter(|l| !l.is_empty())
                .map(header)
                .collect::<Option<_>>()?,
        })
    }
}

/// What is answered.
pub struct Reply {
    pub status: u16,
    pub kind: &'static str,
    pub text: String,
}

/// Answers requests in threads of their own for as long as the process lives.
pub fn serve(
    listener: TcpListener,
    answer: impl Fn(&Request) -> Reply + Send + Sync + 'static,
) -> io::Result<()> {
    let (answer, busy) = (Arc::new(answer), Arc::new(AtomicUsize::new(0)));
    let accept = move || {
        for stream in listener.incoming().flatten() {
            // Whoever comes when too many are here is turned away.
            if busy.fetch_add(1, Ordering::SeqCst) >= AT_ONCE {
                busy.fetch_sub(1, Ordering::SeqCst);
                continue;
            }
            let (answer, mine) = (Arc::clone(&answer), Arc::clone(&busy));
            let one = move || {
                // The browser may be gone.
                let _ = converse(stream, &*answer);
                mine.fetch_sub(1, Ordering::SeqCst);
            };
            if thread::Builder::new().stack_size(STACK).spawn(one).is_err() {
                busy.fetch_sub(1, Ordering::SeqCst);
            }
        }
    };
    thread::Builder::new().spawn(accept).map(|_| ())
}

fn converse(mut stream: TcpStream, answer: &dyn Fn(&Request) -> Reply) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut head = Vec::new();
    let mut some = [0; 1024];
    let end = loop {
        let found = head.windows(4).position(|w| w == b"\r\n\r\n");
        if let Some(end) = found {
            break Some(end);
        }
        let length = stream.read(&mut some)?;
        if length == 0 || head.len() > LONGEST {
            break None;
        }
        head.extend_from_slice(&some[..length]);
    };
    let head = end.and_then(|end| std::str::from_utf8(&head[..end]).ok());
    let reply = match head.and_then(Request::parse) {
        Some(request) => answer(&request),
        None => Reply {
            status: 400,
            kind: "text/plain; charset=utf-8",
            text: "this is no request\n".to_string(),
        },
    };
    let Reply { status, kind, text } = reply;
    // Nothing comes from elsewhere, and no page elsewhere shows this one.
    write!(
        stream,
        "HTTP/1.1 {status} \r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\nCache-Control: \
         no-store\r\nContent-Security-Policy: default-src 'self'; frame-ancestors 'self'\r\nX-Content-Type-Options: \
         nosniff\r\nCross-Origin-Resource-Policy: same-origin\r\n\r\n{text}",
        text.len()
    )?;
    stream.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_of_requests() {
        let request =
            Request::parse("GET /a?b HTTP/1.1\r\nHost: x:1\r\nhost:  y \r\n").expect("one");
        assert_eq!(
            (request.method.as_str(), request.target.as_str()),
            ("GET", "/a?b")
        );
        assert_eq!(request.header("HOST"), Some("y"));
        assert_eq!(request.header("Origin"), None);
        for wrong in [
            "",
            "GET /",
            "GET / x HTTP/1.1",
            "GET / SPDY/3",
            "GET / HTTP/1.1\r\nno header",
        ] {
            assert!(Request::parse(wrong).is_none(), "{wrong}");
        }
    }
}
