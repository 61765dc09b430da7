//! Names: what an id looks like, and the nearest right one.

/// Pack and entry ids: `[a-z][a-z0-9-]*`.
pub fn is_id(name: &str) -> bool {
    is_word(name, '-')
}

/// Ability ids and Luau names: `[a-z][a-z0-9_]*`.
pub fn is_snake(name: &str) -> bool {
    is_word(name, '_')
}

fn is_word(name: &str, joint: char) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == joint)
}

/// The name most like `wrong`, if one is near enough to be what was meant. Ties go to the first.
pub fn nearest<'a>(wrong: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wrong = wrong.to_lowercase();
    let length = wrong.chars().count();
    let limit = if length < 2 { 0 } else { length.max(3) / 3 };
    let mut best: Option<(usize, &str)> = None;
    for name in names {
        let lower = name.to_lowercase();
        let distance = strsim::osa_distance(&wrong, &lower);
        // An abbreviation, such as `bool`, is farther by letters than it is by sense.
        let distance = if length > 2 && lower.starts_with(&wrong) {
            distance.min(1)
        } else {
            distance
        };
        if distance <= limit && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, name));
        }
    }
    best.map(|(_, name)| name)
}

/// "did you mean `name`?", or else the names there are, or else nothing.
pub fn did_you_mean<'a>(wrong: &str, names: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let names: Vec<&str> = names.into_iter().collect();
    match nearest(wrong, names.iter().copied()) {
        Some(name) => Some(format!("did you mean `{name}`?")),
        None if names.is_empty() => None,
        None if names.len() == 1 => Some(format!("there is only `{}`", names[0])),
        None => Some(format!("there are {}", list(names))),
    }
}

/// "`a`, `b` and `c`"; long lists end in a count.
pub fn list<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    joined(names, "and")
}

/// "`a`, `b` or `c`"; long lists end in a count.
pub fn either<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    joined(names, "or")
}

fn joined<'a>(names: impl IntoIterator<Item = &'a str>, word: &str) -> String {
    const SHOWN: usize = 12;
    let names: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    match names.len() {
        0 => "none".into(),
        1 => names[0].clone(),
        n if n > SHOWN => format!("{} {word} {} more", names[..SHOWN].join(", "), n - SHOWN),
        n => format!("{} {word} {}", names[..n - 1].join(", "), names[n - 1]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_snakes() {
        assert!(is_id("ash-hound2") && !is_id("Ash") && !is_id("2a") && !is_id("a_b") && !is_id(""));
        assert!(is_snake("gale_wind") && !is_snake("gale-wind"));
    }

    #[test]
    fn nearest_is_near_or_nothing() {
        assert_eq!(nearest("chrage", ["charge", "change"]), Some("charge"));
        assert_eq!(nearest("charge", ["colour", "face"]), None);
        assert_eq!(nearest("bool", ["number", "boolean"]), Some("boolean"));
        assert_eq!((nearest("y", ["x"]), nearest("di", ["id"])), (None, Some("id")));
        assert_eq!(did_you_mean("zzz", ["a", "b"]).unwrap(), "there are `a` and `b`");
    }
}
