//! A browser without a window: Debian's Chromium.

use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A folder of its own.
fn folder() -> std::path::PathBuf {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let name = format!("coarsen-{}-page-{number}", std::process::id());
    let folder = std::env::temp_dir().join(name);
    std::fs::create_dir_all(&folder).expect("made");
    folder
}

/// What a page writes between FOUND and END.
pub fn found(page: &str) -> String {
    let folder = folder();
    let file = folder.join("page.html");
    std::fs::write(&file, page).expect("written");
    let found = browsed(&format!("file://{}", file.display()));
    let _ = std::fs::remove_dir_all(&folder);
    found
}

/// The browser, for an address, with a profile of its own in this folder.
fn chromium(folder: &std::path::Path, address: &str) -> Command {
    let mut command = Command::new("chromium");
    command
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--disable-dev-shm-usage",
            "--window-size=1400,1000",
            "--virtual-time-budget=20000",
        ])
        .arg(format!(
            "--user-data-dir={}",
            folder.join("profile").display()
        ))
        .arg(address);
    command
}

/// How many bytes a picture of the page at an address has.
pub fn pictured(address: &str) -> usize {
    let folder = folder();
    let file = folder.join("picture.png");
    let mut command = chromium(&folder, address);
    command.arg(format!("--screenshot={}", file.display()));
    command.output().expect("a browser");
    let picture = std::fs::read(&file).expect("a picture");
    let _ = std::fs::remove_dir_all(&folder);
    picture.len()
}

/// What the page at an address writes between FOUND and END.
pub fn browsed(address: &str) -> String {
    let folder = folder();
    let output = chromium(&folder, address)
        .arg("--dump-dom")
        .output()
        .expect("a browser");
    let seen = String::from_utf8_lossy(&output.stdout).into_owned();
    let _ = std::fs::remove_dir_all(&folder);
    let found = seen
        .split("FOUND")
        .nth(1)
        .unwrap_or_else(|| panic!("{seen}"));
    found.split("END").next().unwrap_or_default().to_string()
}
