//! Piles as a viewer sees them.
use super::style::Style;
use super::{Viewer, pieces};
use crate::pack::model::Catalogue;
use crate::tabletop::Tabletop;

/// The cards of a pile that are listed by name; beyond it they are counted.
const LISTED: usize = 12;

/// One line for each pile: how many cards, and those that the viewer sees, top first.
pub fn text(tabletop: &Tabletop, catalogue: &Catalogue, viewer: &Viewer, style: Style) -> String {
    let mut out = String::new();
    for (index, pile) in tabletop.declared().piles.iter().enumerate() {
        let cards = viewer.pile(tabletop, index as u16);
        let line = match cards.len() {
            0 => format!("{}: empty", pile.name),
            count if cards.iter().all(Option::is_none) => format!("{}: {count} hidden", pile.name),
            count => {
                let shown = cards.iter().take(LISTED).map(|card| match card {
                    Some(id) => pieces::describe(tabletop, catalogue, viewer, style, *id),
                    None => "?".into(),
                });
                let mut line = format!(
                    "{} ({count}): {}",
                    pile.name,
                    shown.collect::<Vec<_>>().join("; ")
                );
                if count > LISTED {
                    line += &format!("; and {} more", count - LISTED);
                }
                line
            }
        };
        out += &style.wrap(&line, 4);
        out.push('\n');
    }
    out
}
