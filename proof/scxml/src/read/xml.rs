//! Small helpers around XML nodes.

use roxmltree::Node;

use crate::document::Kind;

const NAMESPACE: &str = "http://www.w3.org/2005/07/scxml";

/// A problem with its place.
pub(super) fn problem(node: Node, text: &str) -> String {
    let place = node.document().text_pos_at(node.range().start);
    format!(
        "{}:{}: <{}>: {text}",
        place.row,
        place.col,
        node.tag_name().name()
    )
}

/// The name of an element of SCXML. Documents without a namespace are taken as SCXML, too.
pub(super) fn name<'a>(node: Node<'a, '_>) -> Result<&'a str, String> {
    match node.tag_name().namespace() {
        None | Some(NAMESPACE) => Ok(node.tag_name().name()),
        Some(other) => Err(problem(
            node,
            &format!("the namespace `{other}` is not supported"),
        )),
    }
}

/// What kind of state an element is, if it is one.
pub(super) fn kind_of(node: Node) -> Option<Kind> {
    if !node.is_element() {
        return None;
    }
    match name(node).ok()? {
        "scxml" => Some(Kind::Scxml),
        "state" => Some(Kind::State),
        "parallel" => Some(Kind::Parallel),
        "final" => Some(Kind::Final),
        "history" if node.attribute("type") == Some("deep") => Some(Kind::DeepHistory),
        "history" => Some(Kind::ShallowHistory),
        _ => None,
    }
}

/// The elements inside an element that holds no text.
pub(super) fn elements<'a, 'i>(node: Node<'a, 'i>) -> Result<Vec<Node<'a, 'i>>, String> {
    if node
        .children()
        .any(|child| child.is_text() && !child.text().unwrap_or("").trim().is_empty())
    {
        return Err(problem(node, "text cannot stand here"));
    }
    Ok(node.children().filter(Node::is_element).collect())
}

/// Checks that an element has no attributes but these. Those of other namespaces are nobody's
/// business.
pub(super) fn attributes(node: Node, known: &[&str]) -> Result<(), String> {
    let mut own = node
        .attributes()
        .filter(|attribute| attribute.namespace().is_none());
    match own.find(|attribute| !known.contains(&attribute.name())) {
        None => Ok(()),
        Some(attribute) => Err(problem(
            node,
            &format!("the attribute `{}` is not supported", attribute.name()),
        )),
    }
}

/// The value of an attribute that is one word.
pub(super) fn word(node: Node, attribute: &str) -> Result<String, String> {
    let value = node
        .attribute(attribute)
        .ok_or_else(|| problem(node, &format!("`{attribute}` is missing")))?;
    if value.is_empty() || value.contains(char::is_whitespace) {
        return Err(problem(node, &format!("`{attribute}` must be one word")));
    }
    Ok(value.to_string())
}
