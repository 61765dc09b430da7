//! The nearest right name, for messages.

/// Longer names are nobody's slip, and comparing them takes long.
const LONGEST: usize = 80;

/// A name as messages show it.
pub fn shown(name: &[u8]) -> String {
    let start = String::from_utf8_lossy(&name[..name.len().min(LONGEST)]);
    if name.len() > LONGEST {
        format!("{start}...")
    } else {
        start.into_owned()
    }
}

/// The name of `known` that a writer of `name` most likely meant.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > LONGEST {
        return None;
    }
    let limit = (name.chars().count() / 3).max(1);
    let distance = |other: &str| {
        let plain = strsim::damerau_levenshtein(name, other);
        // A right name in the wrong folder is nearer than its letters say.
        let last = |path: &str| path.rsplit('/').next().unwrap_or_default().to_string();
        if name.contains('/') && plain > limit && last(name) == last(other) {
            limit
        } else {
            plain
        }
    };
    let near = known.into_iter().map(|other| (distance(other), other));
    // Of equally near ones that with the same letters: two were swapped.
    let letters = |text: &str| {
        let mut letters: Vec<char> = text.chars().collect();
        letters.sort_unstable();
        letters
    };
    let own = letters(name);
    near.filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, other)| (*distance, letters(other) != own, *other))
        .map(|(_, other)| other)
}

/// `; did you mean X?`, or nothing.
pub fn hint<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(name, known)
        .map(|other| format!("; did you mean `{other}`?"))
        .unwrap_or_default()
}

/// As [`hint`], with a sentence after it: `; did you mean X? Fields are ...`, or `; fields are ...`.
pub fn hint_and<'a>(name: &str, known: impl IntoIterator<Item = &'a str>, more: &str) -> String {
    let hint = hint(name, known);
    let mut rest = more.chars();
    match rest.next() {
        Some(first) if !hint.is_empty() => format!("{hint} {}{}", first.to_uppercase(), rest.as_str()),
        _ => format!("; {more}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_nearest() {
        assert_eq!(nearest("chrge", ["charge", "change"]), Some("charge"));
        assert_eq!(nearest("xyz", ["charge"]), None);
        assert_eq!(nearest(&"x".repeat(1 << 20), ["charge"]), None);
        assert_eq!(shown(&[b'x'; 100]), "x".repeat(80) + "...");
        assert_eq!(
            nearest("@a/rules/flow", ["@a/lib/flow", "@a/rules"]),
            Some("@a/lib/flow")
        );
    }
}
