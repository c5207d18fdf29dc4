//! Order, reachability, waits and losers of a frontier, each from its definition.

use std::collections::{BTreeMap, BTreeSet};

use crate::definition::{Definition, Kind};

pub(super) type Id = (u64, u64);

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Act {
    pub(super) node: String,
    pub(super) id: Id,
    pub(super) parents: Vec<Id>,
    pub(super) visits: BTreeMap<String, u64>,
}

impl Act {
    pub(super) fn visit(&self, join: &str) -> u64 {
        self.visits.get(join).copied().unwrap_or(0)
    }
}

pub(super) fn is(definition: &Definition, node: &str, kind: &str) -> bool {
    definition.nodes[node].kind.name() == kind
}

pub(super) fn is_join(definition: &Definition, node: &str) -> bool {
    matches!(definition.nodes[node].kind, Kind::JoinAll | Kind::JoinFirst)
}

/// All nodes that one edge or more lead to.
fn beyond(definition: &Definition, from: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    loop {
        let before = found.len();
        for edge in &definition.edges {
            if edge.from.as_str() == from || found.contains(edge.from.as_str()) {
                found.insert(edge.to.to_string());
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

/// Forward order: the reverse postorder of a walk from the entries.
fn forward(definition: &Definition) -> Vec<String> {
    fn visit(definition: &Definition, node: &str, seen: &mut Vec<String>, post: &mut Vec<String>) {
        if seen.iter().any(|other| other == node) {
            return;
        }
        seen.push(node.to_owned());
        for edge in definition
            .edges
            .iter()
            .filter(|edge| edge.from.as_str() == node)
        {
            visit(definition, edge.to.as_str(), seen, post);
        }
        post.push(node.to_owned());
    }
    let (mut seen, mut post) = (Vec::new(), Vec::new());
    for node in &definition.entry {
        visit(definition, node.as_str(), &mut seen, &mut post);
    }
    post.reverse();
    post
}

fn place(definition: &Definition, node: &str) -> usize {
    let order = forward(definition);
    order
        .iter()
        .position(|other| other == node)
        .expect("only nodes that a path reaches are active")
}

/// Whether `other` has the visit before, and can reach the join of `act`.
fn is_behind(definition: &Definition, other: &Act, act: &Act) -> bool {
    other.id != act.id
        && other.visit(&act.node) + 1 == act.visit(&act.node)
        && beyond(definition, &other.node).contains(&act.node)
}

/// The activations that are ready: all but the joins that wait.
pub(super) fn ready(definition: &Definition, frontier: &[Act]) -> Vec<Act> {
    let mut waits: BTreeSet<(Id, Id)> = BTreeSet::new();
    for act in frontier
        .iter()
        .filter(|act| is(definition, &act.node, "join_all"))
    {
        let behind = frontier
            .iter()
            .filter(|other| is_behind(definition, other, act));
        waits.extend(behind.map(|other| (act.id, other.id)));
    }
    let mut through = waits.clone();
    loop {
        let longer: Vec<(Id, Id)> = through
            .iter()
            .flat_map(|(from, middle)| {
                let next = through.iter().filter(move |(start, _)| start == middle);
                next.map(move |(_, to)| (*from, *to))
            })
            .filter(|wait| !through.contains(wait))
            .collect();
        if longer.is_empty() {
            break;
        }
        through.extend(longer);
    }
    let find = |id: Id| {
        frontier
            .iter()
            .find(|act| act.id == id)
            .expect("in the frontier")
    };
    let void = |act: &Act, other: &Act| {
        is(definition, &other.node, "join_all")
            && place(definition, &other.node) > place(definition, &act.node)
            && through.contains(&(other.id, act.id))
    };
    let waits_really = |act: &Act| {
        let mut own = waits.iter().filter(|(id, _)| *id == act.id);
        own.any(|(_, other)| !void(act, find(*other)))
    };
    frontier
        .iter()
        .filter(|act| !waits_really(act))
        .cloned()
        .collect()
}

/// The frontier without losers.
pub(super) fn keep(
    definition: &Definition,
    settled: &BTreeMap<String, u64>,
    frontier: &[Act],
) -> Vec<Act> {
    let mut lost: BTreeSet<Id> = BTreeSet::new();
    let firsts = frontier
        .iter()
        .filter(|act| is(definition, &act.node, "join_first"));
    let mut firsts: Vec<&Act> = firsts.collect();
    for act in &firsts {
        if act.visit(&act.node) <= settled.get(&act.node).copied().unwrap_or(0) {
            lost.insert(act.id);
        }
    }
    firsts.sort_by_key(|act| (place(definition, &act.node), act.id));
    firsts.reverse();
    for act in firsts {
        if !lost.contains(&act.id) {
            let behind = frontier
                .iter()
                .filter(|other| is_behind(definition, other, act));
            lost.extend(behind.map(|other| other.id));
        }
    }
    frontier
        .iter()
        .filter(|act| !lost.contains(&act.id))
        .cloned()
        .collect()
}

/// The next frontier from the edges taken: (source, index of the edge), in order.
pub(super) fn next(
    definition: &Definition,
    settled: &BTreeMap<String, u64>,
    superstep: u64,
    deferred: &[Act],
    taken: &[(Act, usize)],
) -> Vec<Act> {
    let mut arrivals: Vec<(String, usize, usize, &Act)> = Vec::new();
    for (index, (source, edge)) in taken.iter().enumerate() {
        let to = definition.edges[*edge].to.to_string();
        if arrivals
            .iter()
            .any(|(node, _, _, other)| *node == to && other.id == source.id)
        {
            continue;
        }
        // The pairs are in order of their sources, so their index is in that order, too.
        arrivals.push((to, index, *edge, source));
    }
    arrivals.sort_by(|one, two| (&one.0, one.1, one.2).cmp(&(&two.0, two.1, two.2)));
    let mut frontier = deferred.to_vec();
    for (rank, (node, _, _, source)) in arrivals.into_iter().enumerate() {
        let mut visits = source.visits.clone();
        let join = is_join(definition, &node);
        if join {
            *visits.entry(node.clone()).or_insert(0) += 1;
        }
        let visit = visits.get(&node).copied().unwrap_or(0);
        let same = frontier
            .iter_mut()
            .find(|act| join && act.node == node && act.visit(&node) == visit);
        if let Some(act) = same {
            act.parents.push(source.id);
            for (key, count) in visits {
                let most = act.visit(&key).max(count);
                act.visits.insert(key, most);
            }
        } else {
            let id = (superstep, rank as u64);
            let parents = vec![source.id];
            frontier.push(Act {
                node,
                id,
                parents,
                visits,
            });
        }
    }
    frontier.sort_by(|one, two| (&one.node, one.id).cmp(&(&two.node, two.id)));
    keep(definition, settled, &frontier)
}

/// The first frontier.
pub(super) fn first(definition: &Definition) -> Vec<Act> {
    let mut nodes: Vec<String> = definition.entry.iter().map(ToString::to_string).collect();
    nodes.sort();
    let act = |(rank, node): (usize, String)| {
        let join = is_join(definition, &node);
        let visits = join.then(|| (node.clone(), 1)).into_iter().collect();
        let id = (0, rank as u64);
        Act {
            node,
            id,
            parents: Vec::new(),
            visits,
        }
    };
    let frontier: Vec<Act> = nodes.into_iter().enumerate().map(act).collect();
    keep(definition, &BTreeMap::new(), &frontier)
}
