//! `coarsen explore`: the states of a model in a browser.
//!
//! A small server on 127.0.0.1 has three files and four questions, all of which only read. Requests under another name
//! than this machine's, as by a page of another origin or by a name that leads here, are refused, and no path names a
//! file of the file system.

mod answers;

use super::args::{DEFAULT_THEOREM, ExploreArgs, Format};
use super::exit::Exit;
use super::model_run::{ModelRun, Worked, Wrong};
use super::output::{Output, say};
use super::supervise::Interrupts;
use answers::Explored;
use coarsen::Session;
use coarsen::base::control::ParseLimits;
use coarsen::command::explore::Explorer;
use coarsen::theorem::{CheckOptions, Reduce};
use coarsen::{candidates, theory};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;
use tiny_http::{Header, Method, Request, Response, Server};

/// What the browser is given.
const FILES: &[(&str, &str, &str)] = &[
    ("/", "text/html; charset=utf-8", include_str!("page.html")),
    (
        "/page.js",
        "text/javascript; charset=utf-8",
        include_str!("page.js"),
    ),
    (
        "/page.css",
        "text/css; charset=utf-8",
        include_str!("page.css"),
    ),
    (
        "/favicon.ico",
        "image/svg+xml",
        "<svg xmlns=\"http://www.w3.org/2000/svg\"/>",
    ),
];

/// Requests that are answered at once.
const WORKERS: usize = 4;

/// A worker's stack: state expressions nest as deep as models.
const STACK: usize = 64 << 20;

/// Explores the model of `args` until it is interrupted.
pub fn run(args: &ExploreArgs, output: &mut Output) -> Exit {
    let interrupts = Interrupts::install();
    let run = ModelRun::read(&args.model, Format::Text, &args.limits);
    let (name, asked) = (run.name, args.clone());
    let worked = run.work(&interrupts, output, move |name, source, control| {
        let depth = asked.limits.depth;
        let limits = ParseLimits { depth };
        let (session, warnings) = Session::load(name, source, &asked.defines.defines, limits)?;
        let theory = theory(DEFAULT_THEOREM).ok_or(Wrong::NoTheorem)?;
        let options = CheckOptions {
            others: candidates().split_off(1),
            reduce: Reduce::Auto,
            ..CheckOptions::default()
        };
        let report = session.check(&theory, &options, control);
        Ok((warnings, (session, report)))
    });
    let (session, report) = match worked {
        Ok((Worked::Done(done), _)) => done,
        Ok((Worked::Abandoned { stop, phase, .. }, _)) => {
            say(&format!(
                "coarsen: {name}: stopped by {stop}, in phase `{phase}`"
            ));
            return Exit::Unknown;
        }
        Err(exit) => return exit,
    };
    let Some(explorer) = Explorer::new(session.program(), &report) else {
        say(&format!("coarsen: {name}: no initial state was found"));
        return Exit::Unknown;
    };
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, args.port));
    let server = match Server::http(address) {
        Ok(server) => server,
        Err(error) => {
            say(&format!("coarsen: can't listen on {address}: {error}"));
            return Exit::Internal;
        }
    };
    let port = server.server_addr().to_ip().map_or(args.port, |a| a.port());
    output.write(&format!(
        "{name}: http://127.0.0.1:{port}/ (Ctrl-C ends it)\n"
    ));
    let shared = Arc::new(Shared {
        server,
        port,
        explored: Explored::new(session, report, args.limits.budget),
        explorer: Mutex::new(explorer),
    });
    serve(&shared, &interrupts)
}

/// What all workers have.
struct Shared {
    server: Server,
    port: u16,
    explored: Explored,
    explorer: Mutex<Explorer>,
}

fn serve(shared: &Arc<Shared>, interrupts: &Interrupts) -> Exit {
    for _ in 0..WORKERS {
        let (shared, interrupts) = (Arc::clone(shared), interrupts.clone());
        let work = move || {
            while !interrupts.pending() {
                // So that an interrupt is seen.
                let next = shared.server.recv_timeout(Duration::from_millis(100));
                if let Ok(Some(request)) = next {
                    shared.answer(request);
                }
            }
        };
        if let Err(error) = thread::Builder::new().stack_size(STACK).spawn(work) {
            say(&format!("coarsen: can't start a thread: {error}"));
            return Exit::Internal;
        }
    }
    while !interrupts.pending() {
        thread::sleep(Duration::from_millis(50));
    }
    Exit::Holds
}

impl Shared {
    fn answer(&self, request: Request) {
        let (status, kind, text) = self.answered(&request);
        let header = |name: &str, value: &str| Header::from_bytes(name, value);
        let headers = [
            header("Content-Type", &kind),
            // Nothing comes from elsewhere, and no page elsewhere shows this one.
            header(
                "Content-Security-Policy",
                "default-src 'self'; frame-ancestors 'self'",
            ),
            header("X-Content-Type-Options", "nosniff"),
            header("Cross-Origin-Resource-Policy", "same-origin"),
            header("Cache-Control", "no-store"),
        ];
        let mut response = Response::from_string(text).with_status_code(status);
        headers
            .into_iter()
            .flatten()
            .for_each(|h| response.add_header(h));
        // The browser may be gone.
        let _ = request.respond(response);
    }

    fn answered(&self, request: &Request) -> (u16, String, String) {
        let plain = "text/plain; charset=utf-8".to_string();
        if *request.method() != Method::Get {
            return (405, plain, "only GET is answered\n".to_string());
        }
        if !self.is_own(request) {
            return (
                403,
                plain,
                "only this machine's own pages are answered\n".to_string(),
            );
        }
        let (path, query) = request.url().split_once('?').unwrap_or((request.url(), ""));
        if let Some((_, kind, text)) = FILES.iter().find(|(name, ..)| *name == path) {
            return (200, (*kind).to_string(), (*text).to_string());
        }
        match self.explored.answer(path, query, &self.explorer) {
            Some(value) => (200, "application/json".to_string(), value.to_string()),
            None => (404, plain, "there is nothing here\n".to_string()),
        }
    }

    /// Whether a request comes from a page of this server: under its own name, and with no other origin.
    fn is_own(&self, request: &Request) -> bool {
        let value = |name: &'static str| {
            let header = request.headers().iter().find(|h| h.field.equiv(name));
            header.map(|h| h.value.as_str().to_string())
        };
        let names = ["127.0.0.1", "localhost"].map(|host| format!("{host}:{}", self.port));
        let host = value("Host").is_some_and(|host| names.contains(&host));
        let origin = value("Origin")
            .is_none_or(|origin| names.iter().any(|n| origin == format!("http://{n}")));
        let site =
            value("Sec-Fetch-Site").is_none_or(|site| site == "same-origin" || site == "none");
        host && origin && site
    }
}
