//! What a person types, read as an answer: numbers, keys or unique beginnings.
use crate::session::{Decision, Kind, Refusal};
use crate::view::clean::clean_line;
use crate::view::decision::is_numbered;

/// The keys that a line names.
///
/// # Errors
/// `not_offered` or `ambiguous`, with what comes near. How many were wanted is checked by the session.
pub fn read(decision: &Decision, line: &str) -> Result<Vec<String>, Refusal> {
    let line = line.trim();
    if decision.options.iter().any(|option| option.key == line) {
        return Ok(vec![line.to_owned()]);
    }
    if !matches!(decision.kind, Kind::Some | Kind::Ordered) {
        return Ok(vec![one(decision, line)?]);
    }
    if matches!(line, "none" | "-" | "") {
        return Ok(Vec::new());
    }
    words(line).into_iter().map(|word| one(decision, word)).collect()
}

/// The option that a word names.
fn one(decision: &Decision, word: &str) -> Result<String, Refusal> {
    let options = &decision.options;
    if let Some(option) = options.iter().find(|option| option.key == word) {
        return Ok(option.key.clone());
    }
    if is_numbered(decision)
        && let Ok(number) = word.parse::<usize>()
    {
        return match number.checked_sub(1).and_then(|at| options.get(at)) {
            Some(option) => Ok(option.key.clone()),
            None => {
                let message = format!("there is no option {number}; there are 1 to {}", options.len());
                Err(Refusal::new("not_offered", message))
            }
        };
    }
    let wanted = word.to_lowercase();
    let tight = |text: &str| text.to_lowercase().replace([' ', '(', ')'], "");
    let by_key: Vec<&str> = matching(decision, |o| o.key.to_lowercase().starts_with(&wanted));
    let by_label: Vec<&str> = matching(decision, |o| o.label.to_lowercase().starts_with(&wanted));
    let loosely: Vec<&str> = matching(decision, |o| tight(&o.key) == tight(word));
    for found in [loosely, by_key, by_label] {
        match found[..] {
            [] => {}
            [key] => return Ok(key.to_owned()),
            _ if word.is_empty() => break,
            _ => {
                let shown: Vec<String> = found.iter().take(6).map(|key| clean_line(key)).collect();
                let message = format!("`{}` may be {}", clean_line(word), shown.join(", "));
                return Err(Refusal::new("ambiguous", message));
            }
        }
    }
    // The rules may know why it isn't offered, and the session names what comes near.
    Ok(word.to_owned())
}

fn matching(decision: &Decision, fits: impl Fn(&crate::session::Choice) -> bool) -> Vec<&str> {
    decision
        .options
        .iter()
        .filter(|option| fits(option))
        .map(|option| option.key.as_str())
        .collect()
}

/// Words between spaces or commas; a comma within brackets belongs to its word.
fn words(line: &str) -> Vec<&str> {
    let mut depth = 0;
    let parts = line.split(move |c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        depth <= 0 && (c == ',' || c.is_whitespace())
    });
    parts.map(str::trim).filter(|part| !part.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Choice;

    fn decision(kind: Kind, keys: &[&str]) -> Decision {
        let options = keys
            .iter()
            .map(|key| Choice {
                key: (*key).into(),
                label: (*key).into(),
                detail: None,
                brief: false,
                group: None,
                seat: None,
            })
            .collect();
        let seats = vec!["a".into()];
        Decision {
            id: 1,
            key: "t#0".into(),
            seats,
            kind,
            prompt: "P".into(),
            min: 0,
            max: 9,
            options,
        }
    }

    fn told(kind: Kind, keys: &[&str], line: &str) -> String {
        match read(&decision(kind, keys), line) {
            Ok(keys) => keys.join("|"),
            Err(refusal) => refusal.to_string(),
        }
    }

    #[test]
    fn an_option_is_named_by_number_key_or_beginning() {
        let keys = ["coil-n-1", "coil-n-2", "Gate", "(3,-1)"];
        assert_eq!(told(Kind::One, &keys, "3"), "Gate");
        assert_eq!(told(Kind::One, &keys, "ga"), "Gate");
        assert_eq!(told(Kind::One, &keys, "(3, -1)"), "(3,-1)");
        assert_eq!(told(Kind::One, &keys, "3,-1"), "(3,-1)");
        assert_eq!(
            told(Kind::One, &keys, "coil"),
            "`coil` may be coil-n-1, coil-n-2 (ambiguous)"
        );
        assert_eq!(
            told(Kind::One, &keys, "9"),
            "there is no option 9; there are 1 to 4 (not_offered)"
        );
        assert_eq!(told(Kind::One, &keys, "fox"), "fox");
    }

    #[test]
    fn numbers_as_keys_mean_themselves() {
        assert_eq!(told(Kind::One, &["3", "2", "1"], "3"), "3");
    }

    #[test]
    fn several_are_named_in_one_line() {
        assert_eq!(told(Kind::Some, &["a", "(0,1)", "c d"], "1, (0,1)"), "a|(0,1)");
        assert_eq!(told(Kind::Some, &["a", "(0,1)", "c d"], "c d"), "c d");
        assert_eq!(told(Kind::Some, &["a", "b"], "none"), "");
    }
}
