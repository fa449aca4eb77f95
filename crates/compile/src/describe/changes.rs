//! What changed between two lists of described things: matched by stable id first, then by name.

use std::collections::HashMap;
use std::fmt;

use serde::Serialize;
use serde_json::Value;

/// One difference between two machines.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Change {
    /// What happened to it.
    pub kind: ChangeKind,
    /// What it is: `state`, `transition`, `event`, `policy`, …
    pub what: String,
    /// Its name or path; for a transition source, trigger and targets.
    pub name: String,
    /// What is different, for a changed one.
    pub fields: Vec<FieldChange>,
}

/// What happened to something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// Only in the second.
    Added,
    /// Only in the first.
    Removed,
    /// In both, but different.
    Changed,
    /// Same things in another order.
    Reordered,
}

/// One field of a changed thing.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FieldChange {
    /// The key in the description.
    pub field: String,
    /// In the first.
    pub before: Value,
    /// In the second.
    pub after: Value,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = match self.kind {
            ChangeKind::Added => '+',
            ChangeKind::Removed => '-',
            ChangeKind::Changed => '~',
            ChangeKind::Reordered => '^',
        };
        let name = format!("{} {}", self.what, self.name);
        write!(f, "{sign} {}", name.trim_end())?;
        if self.kind == ChangeKind::Reordered {
            write!(f, ": in another order")?;
        }
        for change in &self.fields {
            write!(
                f,
                "\n    {}: {} -> {}",
                change.field,
                shown(&change.before),
                shown(&change.after)
            )?;
        }
        Ok(())
    }
}

/// A value in few words.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(items) if items.is_empty() => "nothing".to_owned(),
        Value::Array(items) if items.iter().all(Value::is_string) => items
            .iter()
            .filter_map(Value::as_str)
            .collect::<Vec<_>>()
            .join("; "),
        Value::Array(items) => items.iter().map(shown).collect::<Vec<_>>().join(" | "),
        Value::Object(members) => {
            let is_said = |value: &Value| {
                !matches!(value, Value::Null | Value::Bool(false)) && *value != Value::Array(vec![])
            };
            let said = members.iter().filter(|(_, value)| is_said(value));
            said.map(|(key, value)| format!("{key} {}", shown(value)))
                .collect::<Vec<_>>()
                .join(" ")
        }
        other => other.to_string(),
    }
}

/// A described thing that can be found again.
pub(super) struct Item<'v> {
    /// Its stable id, if it has one.
    pub(super) id: Option<&'v str>,
    /// What it is called where ids do not match.
    pub(super) name: String,
    /// What it is.
    pub(super) value: &'v Value,
}

/// Which item of the second list each of the first one is.
pub(super) fn matches(a: &[Item<'_>], b: &[Item<'_>]) -> Vec<Option<usize>> {
    let mut by_id: HashMap<&str, usize> = HashMap::new();
    let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
    for (index, item) in b.iter().enumerate().rev() {
        if let Some(id) = item.id {
            by_id.insert(id, index);
        }
        by_name.entry(&item.name).or_default().push(index);
    }
    let mut taken = vec![false; b.len()];
    let mut found: Vec<Option<usize>> = Vec::with_capacity(a.len());
    for item in a {
        let place = item
            .id
            .and_then(|id| by_id.get(id).copied())
            .filter(|&place| !taken[place]);
        found.push(place);
        if let Some(place) = place {
            taken[place] = true;
        }
    }
    // By name only what no id has found: the last in the list is the first declared.
    for (item, place) in a
        .iter()
        .zip(&mut found)
        .filter(|(_, place)| place.is_none())
    {
        let Some(candidates) = by_name.get_mut(item.name.as_str()) else {
            continue;
        };
        while let Some(candidate) = candidates.pop() {
            if !taken[candidate] {
                taken[candidate] = true;
                *place = Some(candidate);
                break;
            }
        }
    }
    found
}

/// Fields in which two objects differ, but for those to skip.
pub(super) fn fields(a: &Value, b: &Value, skip: &[&str]) -> Vec<FieldChange> {
    let (Some(before), Some(after)) = (a.as_object(), b.as_object()) else {
        return Vec::new();
    };
    let differs = |(field, before): (&String, &Value)| {
        let after = after.get(field).unwrap_or(&Value::Null);
        let changed = before != after && !skip.contains(&field.as_str());
        changed.then(|| FieldChange {
            field: field.clone(),
            before: before.clone(),
            after: after.clone(),
        })
    };
    before.iter().filter_map(differs).collect()
}

/// Compares two lists of one kind. Gives the matches, so that what is inside can be compared, too.
pub(super) fn compare_lists(
    what: &str,
    a: &[Item<'_>],
    b: &[Item<'_>],
    skip: &[&str],
    changes: &mut Vec<Change>,
) -> Vec<Option<usize>> {
    let found = matches(a, b);
    let mut kept = vec![false; b.len()];
    for (item, place) in a.iter().zip(&found) {
        let Some(place) = *place else {
            changes.push(change(ChangeKind::Removed, what, &item.name));
            continue;
        };
        kept[place] = true;
        let different = fields(item.value, b[place].value, skip);
        if !different.is_empty() {
            changes.push(Change {
                fields: different,
                ..change(ChangeKind::Changed, what, &item.name)
            });
        }
    }
    for (item, _) in b.iter().zip(kept).filter(|(_, kept)| !kept) {
        changes.push(change(ChangeKind::Added, what, &item.name));
    }
    found
}

/// Whether what is in both lists is in another order in the second.
pub(super) fn is_reordered(found: &[Option<usize>]) -> bool {
    let kept: Vec<usize> = found.iter().flatten().copied().collect();
    !kept.is_sorted()
}

/// A change without fields.
pub(super) fn change(kind: ChangeKind, what: &str, name: &str) -> Change {
    Change {
        kind,
        what: what.to_owned(),
        name: name.to_owned(),
        fields: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn items<'v>(values: &'v [(Option<&'v str>, &str, Value)]) -> Vec<Item<'v>> {
        values
            .iter()
            .map(|(id, name, value)| Item {
                id: *id,
                name: (*name).to_owned(),
                value,
            })
            .collect()
    }

    #[test]
    fn ids_match_before_names() {
        let a = [
            (Some("1"), "x", json!({})),
            (Some("2"), "y", json!({})),
            (None, "z", json!({})),
        ];
        let b = [
            (Some("2"), "x", json!({})),
            (None, "z", json!({})),
            (Some("9"), "x", json!({})),
        ];
        assert_eq!(matches(&items(&a), &items(&b)), [Some(2), Some(0), Some(1)]);
    }

    #[test]
    fn equal_names_match_in_order() {
        let a = [
            (None, "x", json!(1)),
            (None, "x", json!(2)),
            (None, "x", json!(3)),
        ];
        let b = [(None, "x", json!(1)), (None, "x", json!(2))];
        assert_eq!(matches(&items(&a), &items(&b)), [Some(0), Some(1), None]);
        assert!(!is_reordered(&[Some(0), None, Some(1)]) && is_reordered(&[Some(1), Some(0)]));
    }
}
