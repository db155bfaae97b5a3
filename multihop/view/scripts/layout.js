// Where the nodes of a tree are drawn: leaves one after the other, parents in the middle of their children.

function layOut(root, isShown, isFolded) {
  const placed = [];
  let leaves = 0;
  let depth = 0;
  const place = (node, level, parent) => {
    const here = { node, level, parent, across: 0 };
    placed.push(here);
    depth = Math.max(depth, level);
    const below = isFolded(node) ? [] : node.children.filter(isShown).map((child) => place(child, level + 1, here));
    here.across = below.length ? (below[0].across + below[below.length - 1].across) / 2 : leaves++;
    here.leaf = !below.length;
    return here;
  };
  place(root, 0, null);
  return { placed, leaves, depth };
}

// Every node is given a number, its parent, and how many nodes are below it.
function numberNodes(root) {
  const nodes = [];
  const visit = (node, parent) => {
    node.number = nodes.push(node) - 1;
    node.parent = parent;
    node.below = node.children.reduce((sum, child) => sum + 1 + visit(child, node), 0);
    return node.below;
  };
  visit(root, null);
  return nodes;
}

// The rewards that had come through a node by an iteration; null where the final counts are not made of these alone.
function countVisits(nodes, until) {
  const visits = new Array(nodes.length).fill(0);
  const values = new Array(nodes.length).fill(0);
  for (const node of nodes) {
    if (node.numbers?.reward === undefined || node.iteration > until) continue;
    for (let each = node; each; each = each.parent) {
      visits[each.number] += 1;
      values[each.number] += node.numbers.reward;
    }
  }
  return { visits, values };
}

function countsAreExact(nodes, last) {
  const { visits } = countVisits(nodes, last);
  return nodes.every((node) => node.numbers?.visits === visits[node.number]);
}
