//! What the console tells of errors and of the game's situation.
use crate::script::console::CHUNK;
use crate::script::vm::ScriptError;
use crate::session::Recorded;
use crate::session::recorded::ReloadError;
use crate::session::run::{Status, TapeEntry};
use crate::view::{clean, clean_line, decision};

/// An error with its place and the calls that led there. A place in the line itself is told only if the
/// line has several.
pub fn error(error: &ScriptError) -> String {
    let is_own = |chunk: &str| chunk.starts_with("@ludex/") && chunk != CHUNK;
    // Luau of the host's own is no place to look at: whoever called it is.
    let place = match error.chunk() {
        Some(chunk) if is_own(&chunk) => {
            let caller = error.trace.iter().find(|f| !is_own(&f.chunk));
            (caller.map(|f| f.chunk.clone()), caller.map(|f| f.line))
        }
        chunk => (chunk, error.line),
    };
    let from = place.0.as_ref().is_some_and(|chunk| *chunk != *CHUNK);
    let place = match place {
        (None, _) => String::new(),
        (Some(chunk), Some(1) | None) if chunk == CHUNK => String::new(),
        (Some(chunk), Some(line)) if chunk == CHUNK => format!("line {line}: "),
        (Some(chunk), Some(line)) => format!("{chunk}:{line}: "),
        (Some(chunk), None) => format!("{chunk}: "),
    };
    let mut text = format!("error: {place}{}\n", clean(&error.message));
    let frames = error
        .trace
        .iter()
        .filter(|f| f.chunk != CHUNK && !is_own(&f.chunk));
    for frame in frames.skip(usize::from(from)) {
        let name = frame
            .function
            .as_deref()
            .map_or(String::new(), |name| format!(" in {name}"));
        text += &format!("  called at {}:{}{name}\n", frame.chunk, frame.line);
    }
    text
}

/// Answers that were given but are asked for no longer.
pub fn discarded(entries: &[TapeEntry]) -> String {
    let told = entries.iter().map(|entry| {
        let answer = clean_line(&entry.answer.join(" "));
        format!(
            "- the answer `{answer}` to `{}` is no longer asked for\n",
            entry.decision
        )
    });
    told.collect()
}

pub fn not_reloaded(error: &ReloadError) -> String {
    let what = match error {
        ReloadError::Load(_) => "Not reloaded; the rules from before go on.",
        ReloadError::Obstacles(_) => "Not reloaded: the game in progress can't go on under the new rules.",
        ReloadError::Recording(_) => "The reload could not be recorded.",
    };
    format!("{what}\n{}\n", clean(&error.to_string()))
}

/// What the session waits for: a mark that differs when it does, and the text for people.
///
/// After a line of the console the rules aren't at fault: a step that fails then is told without its calls.
pub fn situation(table: &mut Recorded, after_line: bool) -> (String, String) {
    // A decision that can't be shown makes the step fail.
    let open = table.session().decision();
    match (table.status().clone(), open) {
        (Status::Ended(result), _) => (
            format!("ended {result}"),
            format!("The game is over: {}.\n", clean_line(&result)),
        ),
        (Status::Decision, Ok(open)) => {
            let keys: Vec<&str> = open.options.iter().map(|o| o.key.as_str()).collect();
            let seats = table.session().tabletop().declared().seats.len();
            let options = match open.options.len() {
                1 => "1 option".to_owned(),
                count => format!("{count} options"),
            };
            let prompt = decision::prompt(&open, seats);
            // A prompt of several lines may end in a picture.
            let gap = if prompt.contains('\n') { "\n" } else { " " };
            let told = format!("{prompt}{gap}({options}, see `:options`)\n");
            (format!("{} {told} {}", open.key, keys.join(" ")), told)
        }
        (Status::Failed(failure), _) if after_line => (
            format!("failed {failure}"),
            format!(
                "The step fails after this line: {}\n`:undo` takes it back; `:reload` tells where the step fails.\n",
                clean(&failure.message)
            ),
        ),
        (Status::Failed(failure), _) => {
            let told = format!("The step failed. {}", error(&failure));
            (
                format!("failed {failure}"),
                told + "Mend the rules and `:reload`, or `:undo`.\n",
            )
        }
        (Status::Decision, Err(refusal)) => ("refused".into(), format!("{refusal}\n")),
    }
}
