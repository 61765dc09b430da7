//! Stand-in until the geometry lands.
use super::Space;
#[derive(Clone, Debug, Default)]
pub struct Topology;
impl Topology {
    pub fn contains(&self, _space: Space) -> bool {
        true
    }
}
