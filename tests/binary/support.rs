//! Running the binary: copied packs, whole runs, tables that speak JSON, tables in a pseudo-terminal.
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde_json::Value as Json;

/// Longer than anything takes on a busy machine; a test that waits so long has failed.
pub const PATIENCE: Duration = Duration::from_secs(60);

pub fn repository() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// A folder outside the repository, which goes with the test.
pub struct Scene {
    folder: tempfile::TempDir,
}

/// What a command came to.
#[derive(Debug)]
pub struct Ran {
    /// `None` if a signal ended it.
    pub status: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Scene {
    pub fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("ludex-").tempdir().unwrap();
        Self { folder }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file and the folders that it needs.
    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// Replaces text in a file, as an editor would: the file must hold it.
    pub fn edit(&self, name: &str, from: &str, to: &str) {
        let text = self.read(name);
        assert!(text.contains(from), "{name} has no `{from}`:\n{text}");
        // By a rename: a watcher must not see it half written.
        let beside = self.path(name).with_extension("swp");
        fs::write(&beside, text.replace(from, to)).unwrap();
        fs::rename(beside, self.path(name)).unwrap();
    }

    /// Copies a pack of `tests/packs` to here.
    pub fn pack(&self, name: &str) -> PathBuf {
        let to = self.path(name);
        copy(&repository().join("tests/packs").join(name), &to);
        to
    }

    /// The binary, run here; libraries come from the repository, sessions stay here.
    pub fn ludex<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ludex"));
        command
            .args(args)
            .current_dir(self.folder.path())
            .env("LUDEX_DATA", self.path("data"))
            .env_remove("NO_COLOR")
            .env_remove("COLUMNS");
        command
    }

    /// Runs a command line (words between blanks) with an input, to its end.
    pub fn run(&self, line: &str, input: impl AsRef<[u8]>) -> Ran {
        run(self.ludex(words(line)), input.as_ref())
    }

    /// `ludex play LINE --json`.
    pub fn table(&self, line: &str) -> Table {
        Table::open(self.ludex(words(line).chain(["--json"])))
    }
}

/// The words of a command line; `ROOT` is the repository.
pub fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split_whitespace().map(|word| {
        if word == "ROOT" {
            env!("CARGO_MANIFEST_DIR")
        } else {
            word
        }
    })
}

pub fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Runs a command to its end. It may not panic, whatever it is given.
pub fn run(mut command: Command, input: &[u8]) -> Ran {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let feeder = std::thread::spawn(move || {
        // A command that needs no input closes it.
        _ = stdin.write_all(&input);
    });
    let guard = Guard::over(&child, PATIENCE);
    let done = child.wait_with_output().unwrap();
    assert!(!guard.stop(), "{command:?} didn't end");
    feeder.join().unwrap();
    let ran = Ran {
        status: done.status.code(),
        out: String::from_utf8_lossy(&done.stdout).into_owned(),
        err: String::from_utf8_lossy(&done.stderr).into_owned(),
    };
    assert!(
        !ran.err.contains("panicked"),
        "{command:?} panicked:\n{}",
        ran.err
    );
    assert!(ran.status.is_some(), "{command:?} ended by a signal: {ran:?}");
    ran
}

/// Kills a process that takes too long.
struct Guard {
    stop: std::sync::mpsc::Sender<()>,
    watcher: std::thread::JoinHandle<bool>,
}

impl Guard {
    fn over(child: &Child, patience: Duration) -> Self {
        let pid = child.id() as libc::pid_t;
        let (stop, stopped) = channel();
        let watcher = std::thread::spawn(move || {
            let late = stopped.recv_timeout(patience) == Err(RecvTimeoutError::Timeout);
            if late {
                // SAFETY: a plain system call; the child isn't waited for yet, so the id is still its own.
                unsafe { libc::kill(pid, libc::SIGKILL) };
            }
            late
        });
        Self { stop, watcher }
    }

    /// Whether it had to kill.
    fn stop(self) -> bool {
        drop(self.stop);
        self.watcher.join().unwrap()
    }
}

/// Lines of a stream as they come; the channel closes at its end.
fn lines_of(stream: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, lines) = channel();
    std::thread::spawn(move || {
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        while matches!(reader.read_line(&mut line), Ok(count) if count > 0) {
            if sender.send(std::mem::take(&mut line)).is_err() {
                return;
            }
        }
    });
    lines
}

/// A process that speaks JSON lines.
pub struct Table {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    errors: Receiver<String>,
    /// Everything that was told, for messages of failed tests.
    told: Vec<String>,
}

impl Table {
    pub fn open(mut command: Command) -> Self {
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let input = child.stdin.take();
        let lines = lines_of(child.stdout.take().unwrap());
        let errors = lines_of(child.stderr.take().unwrap());
        Self {
            child,
            input,
            lines,
            errors,
            told: Vec::new(),
        }
    }

    pub fn send(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        // A process that was killed meanwhile doesn't read.
        _ = input
            .write_all(format!("{line}\n").as_bytes())
            .and_then(|()| input.flush());
    }

    pub fn answer(&mut self, decision: &Json, key: &str) {
        self.send(&serde_json::json!({"id": decision["id"], "answer": [key]}).to_string());
    }

    /// The next message, or `None` at the end of the stream.
    pub fn next(&mut self) -> Option<Json> {
        match self.lines.recv_timeout(PATIENCE) {
            Ok(line) => {
                let parsed = serde_json::from_str(&line);
                self.told.push(line);
                Some(parsed.unwrap_or_else(|error| panic!("{error}: {:?}", self.told.last())))
            }
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("nothing more came after {:#?}", self.told),
        }
    }

    /// The next message for which it holds; what comes before is passed over.
    pub fn until(&mut self, holds: impl Fn(&Json) -> bool) -> Json {
        loop {
            match self.next() {
                Some(message) if holds(&message) => return message,
                Some(_) => {}
                None => panic!("it ended after {:#?}\n{}", self.told, self.rest_of_errors()),
            }
        }
    }

    pub fn until_type(&mut self, kind: &str) -> Json {
        self.until(|message| message["type"] == kind)
    }

    /// Kills the process with what can't be caught, and gives what it had told.
    pub fn kill(mut self) -> Vec<Json> {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        let rest = self.lines.iter().filter(|line| line.ends_with('\n'));
        rest.map(|line| serde_json::from_str(&line).unwrap()).collect()
    }

    /// Closes its input and waits for its end.
    pub fn close(mut self) -> Ran {
        drop(self.input.take());
        let guard = Guard::over(&self.child, PATIENCE);
        let out = self.lines.iter().collect::<String>();
        let status = self.child.wait().unwrap();
        assert!(!guard.stop(), "the table didn't end");
        let err = self.rest_of_errors();
        assert!(!err.contains("panicked"), "{err}");
        Ran {
            status: status.code(),
            out,
            err,
        }
    }

    fn rest_of_errors(&self) -> String {
        let mut text = String::new();
        while let Ok(line) = self.errors.recv_timeout(Duration::from_secs(5)) {
            text += &line;
        }
        text
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

/// A process in a pseudo-terminal.
pub struct Terminal {
    child: Child,
    master: File,
    bytes: Receiver<Vec<u8>>,
    /// Everything that came, with its escape sequences.
    pub raw: Vec<u8>,
    /// What has been on the screen since it was last asked.
    pub screen: String,
}

impl Terminal {
    /// Of 100 columns.
    pub fn open(command: Command) -> Self {
        Self::sized(command, 100)
    }

    pub fn sized(mut command: Command, columns: u16) -> Self {
        let (mut master, mut slave) = (0, 0);
        let size = libc::winsize {
            ws_row: 40,
            ws_col: columns,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        // SAFETY: the pointers are to living integers and a living size; the rest may be null.
        let done = unsafe {
            libc::openpty(
                &mut master,
                &mut slave,
                std::ptr::null_mut(),
                std::ptr::null_mut(),
                &size,
            )
        };
        assert_eq!(done, 0, "no pseudo-terminal: {}", std::io::Error::last_os_error());
        // SAFETY: both are open and nobody else's.
        let (master, slave) = unsafe { (File::from_raw_fd(master), OwnedFd::from_raw_fd(slave)) };
        // SAFETY: a plain system call on an open descriptor: the child must not hold the master.
        unsafe { libc::fcntl(master.as_raw_fd(), libc::F_SETFD, libc::FD_CLOEXEC) };
        command
            .stdin(slave.try_clone().unwrap())
            .stdout(slave.try_clone().unwrap())
            .stderr(slave)
            .env("TERM", "xterm-256color")
            .env("LANG", "C.UTF-8");
        let child = command.spawn().unwrap();
        // The command holds copies of the slave: without them the reader sees the end.
        drop(command);
        let mut reader = master.try_clone().unwrap();
        let (sender, bytes) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            // At the end a pseudo-terminal gives an error.
            while let Ok(count) = reader.read(&mut buffer) {
                if count == 0 || sender.send(buffer[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        Self {
            child,
            master,
            bytes,
            raw: Vec::new(),
            screen: String::new(),
        }
    }

    /// What Ctrl-C sends where the process has the terminal for itself.
    pub fn interrupt(&self) {
        // SAFETY: a plain system call; the child is ours and not yet waited for.
        unsafe { libc::kill(self.child.id() as libc::pid_t, libc::SIGINT) };
    }

    pub fn type_line(&mut self, line: &str) {
        self.master.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    /// Waits until the text is on the screen; gives the screen up to there and forgets it.
    pub fn wait_for(&mut self, text: &str) -> String {
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(at) = self.screen.find(text) {
                let rest = self.screen.split_off(at + text.len());
                return std::mem::replace(&mut self.screen, rest);
            }
            let left = until.saturating_duration_since(Instant::now());
            match self.bytes.recv_timeout(left) {
                Ok(bytes) => self.take(&bytes),
                Err(problem) => panic!("`{text}` didn't come ({problem}):\n{}", self.screen),
            }
        }
    }

    fn take(&mut self, bytes: &[u8]) {
        self.raw.extend(bytes);
        self.screen += &plain(bytes);
    }

    /// What comes within a time.
    pub fn listen(&mut self, time: Duration) -> String {
        let until = Instant::now() + time;
        while let Ok(bytes) = self
            .bytes
            .recv_timeout(until.saturating_duration_since(Instant::now()))
        {
            self.take(&bytes);
        }
        std::mem::take(&mut self.screen)
    }

    /// Waits for its end.
    pub fn end(mut self) -> (Option<i32>, String) {
        let guard = Guard::over(&self.child, PATIENCE);
        let status = self.child.wait().unwrap();
        assert!(!guard.stop(), "it didn't end:\n{}", self.screen);
        while let Ok(bytes) = self.bytes.recv_timeout(Duration::from_millis(500)) {
            self.take(&bytes);
        }
        assert!(!self.screen.contains("panicked"), "{}", self.screen);
        (status.code(), std::mem::take(&mut self.screen))
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

/// Text without colours and carriage returns; sequences that came torn stay.
fn plain(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes).replace('\r', "");
    let mut plain = String::new();
    let mut rest = text.as_str();
    while let Some(at) = rest.find("\u{1b}[") {
        plain += &rest[..at];
        let body = &rest[at + 2..];
        let end = body
            .find(|c: char| c.is_ascii_alphabetic())
            .map_or(body.len(), |end| end + 1);
        rest = &body[end..];
    }
    plain + rest
}

/// A small generator for tests; never one of play.
pub struct Chance(pub u64);

impl Chance {
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound.max(1)
    }
}
