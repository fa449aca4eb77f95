//! Numbers of states, regions, history points and scratch (NAME-2): pre-order, muted
//! ones left out.

use statewright_author::graph;

/// A state of the tree, not yet resolved.
pub(crate) struct Node<'a> {
    pub(crate) graph: &'a graph::State,
    pub(crate) parent: Option<usize>,
    pub(crate) region: Option<usize>,
    pub(crate) end: usize,
    pub(crate) post: usize,
    pub(crate) regions: Vec<usize>,
    pub(crate) points: Vec<usize>,
}

pub(crate) struct RegionNode<'a> {
    pub(crate) graph: &'a graph::Region,
    pub(crate) owner: usize,
    pub(crate) children: Vec<usize>,
}

pub(crate) struct PointNode<'a> {
    pub(crate) graph: &'a graph::HistoryPoint,
    pub(crate) owner: usize,
}

/// The numbered tree.
#[derive(Default)]
pub(crate) struct Tree<'a> {
    pub(crate) states: Vec<Node<'a>>,
    pub(crate) regions: Vec<RegionNode<'a>>,
    pub(crate) points: Vec<PointNode<'a>>,
    finished: usize,
}

impl<'a> Tree<'a> {
    pub(crate) fn new(root: &'a graph::State) -> Self {
        let mut tree = Self::default();
        tree.add(root, None);
        tree.number_regions();
        tree
    }

    /// Adds a state and everything below; remembers for each child which region of its parent it is
    /// in.
    fn add(&mut self, graph: &'a graph::State, parent: Option<usize>) -> usize {
        let number = self.states.len();
        let points = (self.points.len()..self.points.len() + graph.history.len()).collect();
        self.points
            .extend(graph.history.iter().map(|graph| PointNode {
                graph,
                owner: number,
            }));
        self.states.push(Node {
            graph,
            parent,
            region: None,
            end: 0,
            post: 0,
            regions: Vec::new(),
            points,
        });
        for (index, region) in graph.regions.iter().enumerate() {
            for child in region.states.iter().filter(|child| !child.muted) {
                let child = self.add(child, Some(number));
                // For now the ordinal in its parent.
                self.states[child].region = Some(index);
            }
        }
        self.states[number].end = self.states.len();
        self.states[number].post = self.finished;
        self.finished += 1;
        number
    }

    /// Regions in the pre-order of their owners.
    fn number_regions(&mut self) {
        for owner in 0..self.states.len() {
            let graph = self.states[owner].graph;
            for region in &graph.regions {
                self.states[owner].regions.push(self.regions.len());
                self.regions.push(RegionNode {
                    graph: region,
                    owner,
                    children: Vec::new(),
                });
            }
        }
        for state in 1..self.states.len() {
            let parent = self.states[state]
                .parent
                .expect("only the root has no parent");
            let region =
                self.states[parent].regions[self.states[state].region.expect("set by add")];
            self.states[state].region = Some(region);
            self.regions[region].children.push(state);
        }
    }

    pub(crate) fn up(&self, state: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(state), |&at| self.states[at].parent)
    }
}
