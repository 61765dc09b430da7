//! Runs the binary in a data directory of its own.
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::Value as Json;

/// A data directory, and folders for packs that a test changes.
pub struct Desk {
    folder: tempfile::TempDir,
}

/// What a run of the binary left behind.
#[derive(Debug)]
pub struct Done {
    pub out: String,
    pub err: String,
    pub code: i32,
}

pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The folder of a pack that tests play.
pub fn pack(name: &str) -> PathBuf {
    root().join("tests/packs").join(name)
}

impl Desk {
    pub fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A copy of a pack, to be changed.
    pub fn copy(&self, name: &str) -> PathBuf {
        let to = self.path("packs").join(name);
        copy(&pack(name), &to);
        to
    }

    /// The binary, with `{desk}` in its arguments replaced by the folder.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ludex"));
        let here = self.folder.path().display().to_string();
        command.args(args.iter().map(|arg| arg.replace("{desk}", &here)));
        command.arg("--root").arg(root());
        command
            .env("LUDEX_DATA", self.path("data"))
            .env_remove("NO_COLOR")
            .env("LANG", "C.UTF-8");
        command.current_dir(root());
        command
    }

    /// Runs with an input; the desk's folder shows as `{desk}`, the checkout as `{root}`.
    pub fn run(&self, args: &[&str], input: &str) -> Done {
        let mut child = self
            .command(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let text = input.to_owned();
        let writer = std::thread::spawn(move || {
            // The command may end before it reads everything.
            _ = stdin.write_all(text.as_bytes());
        });
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap();
        let text = |bytes: Vec<u8>| {
            let text = String::from_utf8(bytes).unwrap();
            let text = text.replace(&self.folder.path().display().to_string(), "{desk}");
            text.replace(&root().display().to_string(), "{root}")
        };
        Done {
            out: text(output.stdout),
            err: text(output.stderr),
            code: output.status.code().unwrap_or(-1),
        }
    }

    /// Plays a pack of `tests/packs` with a seed.
    pub fn play(&self, game: &str, more: &[&str], input: &str) -> Done {
        let folder = pack(game).display().to_string();
        let mut args = vec!["play", game, "--pack", &folder, "--seed", "7"];
        args.extend(more);
        self.run(&args, input)
    }

    /// Starts a conversation in JSON lines.
    pub fn talk(&self, args: &[&str]) -> Talk {
        let mut child = self
            .command(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        Talk {
            input: child.stdin.take().unwrap(),
            output: BufReader::new(child.stdout.take().unwrap()),
            child,
        }
    }
}

/// A conversation with `play --json`.
pub struct Talk {
    pub child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Talk {
    pub fn say(&mut self, line: &str) {
        writeln!(self.input, "{line}").unwrap();
    }

    /// The next object, or null at the end.
    pub fn hear(&mut self) -> Json {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        if line.is_empty() {
            Json::Null
        } else {
            serde_json::from_str(&line).unwrap()
        }
    }

    /// Objects up to the first that is a decision, an end or an error.
    pub fn hear_out(&mut self) -> Vec<Json> {
        let mut heard = Vec::new();
        loop {
            let object = self.hear();
            let last = object.is_null()
                || ["decision", "end", "error"]
                    .iter()
                    .any(|kind| object["type"] == *kind);
            heard.push(object);
            if last {
                return heard;
            }
        }
    }

    /// The decision, end or error that comes next.
    pub fn next(&mut self) -> Json {
        self.hear_out().pop().unwrap()
    }

    /// Answers the decision with the option at a place, and hears what comes next.
    pub fn answer(&mut self, decision: &Json, option: usize) -> Json {
        let key = &decision["options"][option]["key"];
        self.say(&serde_json::json!({"id": decision["id"], "answer": [key]}).to_string());
        self.next()
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        // It may have ended by itself.
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

impl Done {
    /// The standard output, after a run that went well.
    #[track_caller]
    pub fn well(self) -> String {
        assert_eq!((self.code, self.err.as_str()), (0, ""), "{}", self.out);
        self.out
    }

    /// The message of a run that failed with a status.
    #[track_caller]
    pub fn failed(self, code: i32) -> String {
        assert_eq!(self.code, code, "{}{}", self.out, self.err);
        self.err
    }
}

pub fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Replaces text in a file; it must be there. Saved by rename: a watcher on a busy machine could read half.
#[track_caller]
pub fn edit(file: &Path, from: &str, to: &str) {
    let text = std::fs::read_to_string(file).unwrap();
    assert!(text.contains(from), "{} has no `{from}`", file.display());
    put(file, &text.replace(from, to));
}

/// Saves a file as editors do: a watcher never sees it half written.
pub fn put(file: &Path, text: &str) {
    let beside = file.with_extension("swp");
    std::fs::write(&beside, text).unwrap();
    std::fs::rename(beside, file).unwrap();
}
