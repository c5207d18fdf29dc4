//! The forward order of nodes.

/// Returns the place of each node in forward order.
///
/// Forward order is the reverse postorder of a depth-first walk from the entries that takes the
/// entries, and follows the edges, as the definition lists them. Nodes that the walk does not
/// reach follow in order of their ids.
pub(super) fn forward(entry: &[usize], next: &[Vec<usize>]) -> Vec<usize> {
    let mut seen = vec![false; next.len()];
    let mut postorder = Vec::with_capacity(next.len());
    for &root in entry {
        walk(root, next, &mut seen, &mut postorder);
    }
    let mut place = vec![0; next.len()];
    let unreached = (0..next.len()).filter(|node| !seen[*node]);
    for (count, node) in postorder.into_iter().rev().chain(unreached).enumerate() {
        place[node] = count;
    }
    place
}

/// Walks without recursion, because a path may have as many nodes as a definition.
fn walk(root: usize, next: &[Vec<usize>], seen: &mut [bool], postorder: &mut Vec<usize>) {
    if std::mem::replace(&mut seen[root], true) {
        return;
    }
    let mut path = vec![(root, next[root].iter())];
    while let Some((node, edges)) = path.last_mut() {
        match edges.next() {
            Some(&to) if !std::mem::replace(&mut seen[to], true) => {
                path.push((to, next[to].iter()));
            }
            Some(_) => {}
            None => {
                postorder.push(*node);
                path.pop();
            }
        }
    }
}
