//! The command as users start it.

use std::io::Write;
use std::process::{Command, Stdio};

/// Exit code, standard output and standard error of the command with these arguments, which comes to an end.
pub fn coarsen(arguments: &[&str], input: &[u8]) -> (Option<i32>, String, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_coarsen"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("started");
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = input.to_vec();
    let writer = std::thread::spawn(move || {
        // A command that does not read its input to the end closes the pipe.
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().expect("waited");
    writer.join().expect("written");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}
