//! `coarsen explore`: the states of a model in a browser.
//!
//! A small server on 127.0.0.1 has three files and four questions, all of which only read. Requests under another name
//! than this machine's, as by a page of another origin or by a name that leads here, are refused, and no path names a
//! file of the file system.

mod answers;
mod server;

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
use server::{Reply, Request};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

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
    let opened = TcpListener::bind(address).and_then(|l| Ok((l.local_addr()?.port(), l)));
    let (port, listener) = match opened {
        Ok(opened) => opened,
        Err(error) => {
            say(&format!("coarsen: can't listen on {address}: {error}"));
            return Exit::Internal;
        }
    };
    let shared = Shared {
        port,
        explored: Explored::new(session, report, args.limits.budget),
        explorer: Mutex::new(explorer),
    };
    if let Err(error) = server::serve(listener, move |request| shared.answer(request)) {
        say(&format!("coarsen: can't start a thread: {error}"));
        return Exit::Internal;
    }
    output.write(&format!(
        "{name}: http://127.0.0.1:{port}/ (Ctrl-C ends it)\n"
    ));
    while !interrupts.pending() {
        thread::sleep(Duration::from_millis(50));
    }
    Exit::Holds
}

/// What all requests have.
struct Shared {
    port: u16,
    explored: Explored,
    explorer: Mutex<Explorer>,
}

impl Shared {
    fn answer(&self, request: &Request) -> Reply {
        let plain = |status, text: &str| Reply {
            status,
            kind: "text/plain; charset=utf-8",
            text: text.to_string(),
        };
        if request.method != "GET" {
            return plain(405, "only GET is answered\n");
        }
        if !self.is_own(request) {
            return plain(403, "only this machine's own pages are answered\n");
        }
        let target = request.target.as_str();
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        if let Some((_, kind, text)) = FILES.iter().find(|(name, ..)| *name == path) {
            return Reply {
                kind,
                ..plain(200, text)
            };
        }
        match self.explored.answer(path, query, &self.explorer) {
            Some(value) => Reply {
                kind: "application/json",
                ..plain(200, &value.to_string())
            },
            None => plain(404, "there is nothing here\n"),
        }
    }

    /// Whether a request comes from a page of this server: under its own name, and with no other origin.
    fn is_own(&self, request: &Request) -> bool {
        let names = ["127.0.0.1", "localhost"].map(|host| format!("{host}:{}", self.port));
        let host = request
            .header("Host")
            .is_some_and(|host| names.iter().any(|n| n == host));
        let origin = request.header("Origin");
        let origin = origin.is_none_or(|o| names.iter().any(|n| *o == format!("http://{n}")));
        let site = request.header("Sec-Fetch-Site");
        host && origin && site.is_none_or(|site| site == "same-origin" || site == "none")
    }
}
