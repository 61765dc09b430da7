//! Whether the mission can still be completed: every series of actions is tried, but for those that come too short by a
//! count of what is amiss.
use std::collections::HashMap;

use rustc_hash::{FxBuildHasher, FxHashSet};

use super::cards::Means;
use super::layout::{Layout, Pattern, normal, number};
use super::rules::{Reach, Rules};

/// What a search found out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    Yes,
    No,
    /// It gave up.
    TooMany,
}

/// A question: what is sought, from where, and how hard.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    pub rules: &'a dyn Rules,
    pub mission: u8,
    pub layout: Layout,
    pub means: &'a Means,
    /// States to look at before it gives up.
    pub limit: usize,
    /// Whether states that come too short are left out.
    pub prunes: bool,
}

struct Search<'a> {
    question: &'a Question<'a>,
    /// What completes the mission: its pattern, and those that an easing ability makes of it.
    goal: &'a Pattern,
    eased: Vec<Pattern>,
    known: HashMap<Means, u32, FxBuildHasher>,
    means: Vec<(Means, Reach)>,
    seen: FxHashSet<u64>,
    /// By how much is amiss: what is nearest is tried first.
    waiting: Vec<Vec<(Layout, u32)>>,
}

impl Search<'_> {
    fn name(&mut self, means: &Means) -> u32 {
        let mut means = means.clone();
        let rules = self.question.rules;
        rules.forget(&mut means);
        if let Some(&known) = self.known.get(&means) {
            return known;
        }
        let name = self.means.len() as u32;
        self.means.push((means.clone(), rules.reach(&means)));
        self.known.insert(means, name);
        name
    }

    /// How much is amiss, if it can be made up for.
    fn amiss(&self, layout: &Layout, reach: &Reach) -> Option<u8> {
        // A change fills one space at most, a push too. Without pushes each change moves one module, a trade two.
        let fits = |&(empty, wrong): &(u8, u8)| {
            u32::from(empty) <= reach.steps
                && (reach.pushes || u32::from(wrong) <= reach.steps + 2 * reach.swaps)
        };
        let least = |pattern: &Pattern| {
            let gaps = pattern.gaps(layout);
            let possible = gaps.iter().filter(|gap| !self.question.prunes || fits(gap));
            possible.map(|gap| gap.1).min()
        };
        let eased = if reach.eases { &self.eased[..] } else { &[] };
        std::iter::once(self.goal).chain(eased).filter_map(least).min()
    }

    fn add(&mut self, layout: &Layout, name: u32) {
        let key = (u64::from(name) << 36) | number(layout);
        if !self.seen.insert(key) {
            return;
        }
        let reach = self.means[name as usize].1;
        if let Some(amiss) = self.amiss(layout, &reach) {
            self.waiting[amiss as usize].push((normal(layout), name));
        }
    }

    fn next(&mut self) -> Option<(Layout, u32)> {
        self.waiting.iter_mut().find_map(Vec::pop)
    }
}

/// The answer, and how many states were looked at.
pub fn can_complete(question: &Question) -> (Answer, usize) {
    let goal = question.rules.mission(question.mission);
    let mut search = Search {
        question,
        goal,
        eased: goal.eased(),
        known: HashMap::default(),
        means: Vec::new(),
        seen: FxHashSet::default(),
        waiting: vec![Vec::new(); 8],
    };
    let start = search.name(question.means);
    search.add(&question.layout, start);
    let mut looked_at = 0;
    let mut after: Vec<(Layout, u32)> = Vec::new();
    while let Some((layout, name)) = search.next() {
        looked_at += 1;
        if looked_at > question.limit {
            return (Answer::TooMany, looked_at);
        }
        let means = search.means[name as usize].0.clone();
        let (mut done, mut last) = (false, None::<(Means, u32)>);
        question.rules.each(
            question.mission,
            &layout,
            &means,
            &mut |_, changed, means, completes| {
                done |= completes;
                let name = match &last {
                    Some((known, name)) if known == means => *name,
                    _ => search.name(means),
                };
                if last.as_ref().is_none_or(|l| l.1 != name) {
                    last = Some((means.clone(), name));
                }
                after.push((*changed, name));
            },
        );
        if done {
            return (Answer::Yes, looked_at);
        }
        for (layout, name) in after.drain(..) {
            search.add(&layout, name);
        }
    }
    (Answer::No, looked_at)
}
