//! Random documents use everything that the interpreter knows, each often enough to matter.

use roxmltree::{Document, Node};
use statewright_scxml_oracle::{Limits, random_document};

const DOCUMENTS: u64 = 500;

/// What to look for, in how many of the documents it must be at least, and whether an element is
/// it.
type Feature = (&'static str, usize, fn(Node) -> bool);

const FEATURES: [Feature; 40] = [
    ("a parallel in a parallel", 50, |node| {
        is(node, "parallel") && parent_is(node, "parallel")
    }),
    ("a parallel with a single child", 100, is_lone),
    ("a parallel with a single child in a parallel", 20, |node| {
        is_lone(node) && parent_is(node, "parallel")
    }),
    ("a parallel with a single child in another", 10, |node| {
        is_lone(node) && node.parent().is_some_and(is_lone)
    }),
    ("a history of a parallel with a single child", 50, |node| {
        is(node, "history") && node.parent().is_some_and(is_lone)
    }),
    ("a self-transition of a single child", 20, |node| {
        let around = node.parent().and_then(|state| state.parent());
        has_event(node)
            && around.is_some_and(is_lone)
            && ids(node, "target").any(|id| Some(id) == parent_id(node))
    }),
    (
        "an internal transition of a parallel with a single child",
        20,
        |node| node.attribute("type") == Some("internal") && node.parent().is_some_and(is_lone),
    ),
    (
        "a done event of a parallel with a single child",
        10,
        |node| {
            let done = ids(node, "event")
                .filter_map(|word| named(node, word.strip_prefix("done.state.")?));
            done.into_iter().any(is_lone)
        },
    ),
    ("an atomic region", 100, |node| {
        is(node, "state") && parent_is(node, "parallel") && !has_states(node)
    }),
    ("a top-level final", 15, |node| {
        is(node, "final") && parent_is(node, "scxml")
    }),
    ("an inner final", 100, |node| {
        is(node, "final") && !parent_is(node, "scxml")
    }),
    ("an initial attribute with one deep id", 50, |node| {
        ids(node, "initial").any(|id| !is_child(node, id))
    }),
    ("an initial attribute with several ids", 15, |node| {
        ids(node, "initial").count() > 1
    }),
    ("an initial element with content", 100, |node| {
        is(node, "transition") && parent_is(node, "initial") && filled(node)
    }),
    ("an initial that names a history", 10, |node| {
        parent_is(node, "initial") && names(node, "target", "history")
    }),
    ("a shallow history", 100, |node| {
        is(node, "history") && node.attribute("type") != Some("deep")
    }),
    ("a deep history", 100, |node| {
        node.attribute("type") == Some("deep")
    }),
    ("a history of a parallel", 50, |node| {
        is(node, "history") && parent_is(node, "parallel")
    }),
    ("two histories of a state", 50, |node| {
        node.children()
            .filter(|child| is(*child, "history"))
            .count()
            == 2
    }),
    ("a default with content", 100, |node| {
        parent_is(node, "history") && filled(node)
    }),
    ("a transition to a history", 100, |node| {
        has_event(node) && names(node, "target", "history")
    }),
    ("a transition to several states", 100, |node| {
        has_event(node) && ids(node, "target").count() > 1
    }),
    ("a transition to several histories", 20, |node| {
        let histories =
            ids(node, "target").filter(|id| named(node, id).is_some_and(|one| is(one, "history")));
        has_event(node) && histories.count() > 1
    }),
    ("a transition without target", 100, |node| {
        has_event(node) && !node.has_attribute("target")
    }),
    ("a self-transition", 50, |node| {
        has_event(node) && ids(node, "target").any(|id| Some(id) == parent_id(node))
    }),
    ("a transition to an ancestor", 50, |node| {
        has_event(node)
            && ids(node, "target").any(|id| {
                node.ancestors()
                    .skip(2)
                    .any(|one| one.attribute("id") == Some(id))
            })
    }),
    ("an internal transition of a compound", 100, |node| {
        node.attribute("type") == Some("internal")
            && node
                .parent()
                .is_some_and(|one| is(one, "state") && has_states(one))
    }),
    ("an internal transition of a parallel", 50, |node| {
        node.attribute("type") == Some("internal") && parent_is(node, "parallel")
    }),
    ("an eventless transition", 100, |node| {
        is(node, "transition") && !has_event(node) && node.has_attribute("cond")
    }),
    ("a list of descriptors", 100, |node| {
        ids(node, "event").count() > 1
    }),
    ("a descriptor with a star", 100, |node| {
        ids(node, "event").any(|word| word.ends_with(".*"))
    }),
    ("any event", 50, |node| {
        ids(node, "event").any(|word| word == "*")
    }),
    ("a done event", 100, |node| {
        ids(node, "event").any(|word| word.starts_with("done.state."))
    }),
    ("raise", 50, |node| is(node, "raise")),
    ("send without delay", 15, |node| {
        is(node, "send") && !node.has_attribute("delay")
    }),
    ("send with delay", 50, |node| node.has_attribute("delay")),
    ("cancel", 50, |node| is(node, "cancel")),
    ("elseif", 50, |node| is(node, "elseif")),
    ("two blocks of onentry", 50, |node| {
        node.children()
            .filter(|child| is(*child, "onentry"))
            .count()
            == 2
    }),
    ("an id with a dot", 50, |node| {
        has_id(node) && node.attribute("id").is_some_and(|id| id.contains('.'))
    }),
];

#[test]
fn random_documents_use_everything() {
    let mut found = [0; FEATURES.len()];
    for seed in 0..DOCUMENTS {
        let text = random_document(seed, &Limits::default());
        let document = Document::parse(&text).unwrap();
        for (count, (_, _, test)) in found.iter_mut().zip(FEATURES) {
            *count += usize::from(document.descendants().filter(Node::is_element).any(test));
        }
    }
    for (count, (what, least, _)) in found.into_iter().zip(FEATURES) {
        assert!(
            count >= least,
            "{what} is in {count} of {DOCUMENTS} documents, not in {least}"
        );
    }
}

#[test]
fn limits_hold_and_parts_can_be_left_out() {
    let limits = Limits {
        states: 6,
        depth: 2,
        leaves: 1,
        events: 2,
        raises: 0,
        dotted_ids: 0,
        delays: false,
        data: false,
    };
    for seed in 0..DOCUMENTS {
        let text = random_document(seed, &limits);
        for word in ["<raise", "<send", "<data", "<assign"] {
            assert!(!text.contains(word), "seed {seed} has {word}\n{text}");
        }
        let tree = Document::parse(&text).unwrap();
        let forks = |node: Node| is(node, "parallel") && !is_lone(node);
        assert!(
            !tree.descendants().any(forks),
            "seed {seed} has two leaves\n{text}"
        );
        let document = statewright_scxml_oracle::Document::parse(&text).unwrap();
        assert!(
            document.depth() <= 2 && document.state_ids().len() <= 6,
            "seed {seed}\n{text}"
        );
    }
}

fn is(node: Node, name: &str) -> bool {
    node.tag_name().name() == name
}

fn parent_is(node: Node, name: &str) -> bool {
    node.parent().is_some_and(|parent| is(parent, name))
}

fn parent_id<'a>(node: Node<'a, '_>) -> Option<&'a str> {
    node.parent()?.attribute("id")
}

fn is_state(node: Node) -> bool {
    ["state", "parallel", "final"].contains(&node.tag_name().name())
}

/// A parallel with a single child.
fn is_lone(node: Node) -> bool {
    is(node, "parallel") && node.children().filter(|child| is_state(*child)).count() == 1
}

fn has_states(node: Node) -> bool {
    node.children().any(is_state)
}

fn has_id(node: Node) -> bool {
    is_state(node) || is(node, "history")
}

fn has_event(node: Node) -> bool {
    is(node, "transition") && node.has_attribute("event")
}

fn filled(node: Node) -> bool {
    node.children().any(|child| child.is_element())
}

fn ids<'a>(node: Node<'a, '_>, attribute: &str) -> impl Iterator<Item = &'a str> {
    node.attribute(attribute).unwrap_or("").split_whitespace()
}

fn named<'a, 'i>(node: Node<'a, 'i>, id: &str) -> Option<Node<'a, 'i>> {
    node.document()
        .descendants()
        .find(|one| has_id(*one) && one.attribute("id") == Some(id))
}

fn is_child(node: Node, id: &str) -> bool {
    named(node, id).is_some_and(|one| one.parent() == Some(node))
}

fn names(node: Node, attribute: &str, kind: &str) -> bool {
    ids(node, attribute).any(|id| named(node, id).is_some_and(|one| is(one, kind)))
}
