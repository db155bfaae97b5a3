// A searched tree: its map, its words, and what they share: what is folded, which node is chosen, which iteration it is.
// The words begin with the path that was chosen; what hangs beside it is put away until it is asked for.

const LABELLED = 26; // leaves up to which the map has room for names
const WIDE = 300; // at most from one level to the next, where the names have room
const UNFOLDED = 150; // nodes up to which a tree is shown whole

function treeView(record) {
  const root = record.picture.root;
  const nodes = numberNodes(root);
  const last = Math.max(0, ...nodes.map((node) => node.iteration ?? 0));
  const view = { record, root, nodes, last, until: last, folded: new Set(), unfolded: new Set(), walked: 0, chosen: null, exact: last > 0 && countsAreExact(nodes, last) };
  if (nodes.length > UNFOLDED) foldAside(view);
  view.isShown = (node) => (node.iteration ?? 0) <= view.until;
  view.isFolded = (node) => view.folded.has(node.number);
  view.map = make("div", { class: "map" });
  view.words = make("div", { class: "tree" });
  view.refresh = () => {
    view.counts = view.exact ? countVisits(nodes, view.until) : null;
    const walking = view.map.contains(document.activeElement);
    hideHint(view);
    view.map.replaceChildren(drawMap(view));
    if (walking) focusNode(view, nodes[view.walked]);
    view.words.replaceChildren(writeTree(view));
  };
  view.choose = (node) => {
    view.chosen = node;
    view.walked = node.number;
    for (let each = node; each.parent; each = each.parent) {
      view.folded.delete(each.parent.number);
      if (!leads(each)) view.unfolded.add(each.parent.number);
    }
    node.open = true;
    view.refresh();
    view.words.querySelector(".at")?.scrollIntoView({ block: "nearest" });
  };
  const box = make("div", {}, treeTools(view), legend(view), make("div", { class: "mapped" }, view.map, makeHint(view)), view.words);
  view.refresh();
  return box;
}

function foldAside(view) {
  for (const node of view.nodes) {
    if (node.parent && !leads(node) && node.children.length) view.folded.add(node.number);
  }
}

function treeTools(view) {
  const inner = view.nodes.filter((node) => node.children.length).map((node) => node.number);
  const show = (folded, unfolded) => () => {
    view.folded = new Set(folded);
    view.unfolded = new Set(unfolded);
    view.refresh();
  };
  const texts = (open) => () => {
    for (const node of view.nodes) node.open = open;
    view.refresh();
  };
  const path = view.nodes.some((node) => node.parent && leads(node)) ? button("the chosen path", show([], [])) : null;
  const tools = [path, button("unfold all", show([], inner)), button("fold all", show(inner.slice(1), [])), button("show all texts", texts(true)), button("hide all texts", texts(false))];
  return make("div", { class: "tools" }, tools, view.last > 1 ? iterationSlider(view) : null);
}

function iterationSlider(view) {
  const told = make("output", {}, `all ${view.last}`);
  const slider = make("input", {
    type: "range",
    min: "0",
    max: String(view.last),
    value: String(view.last),
    "aria-label": "iterations shown",
    oninput: () => {
      view.until = Number(slider.value);
      told.textContent = view.until === view.last ? `all ${view.last}` : `${view.until} of ${view.last}`;
      slider.setAttribute("aria-valuetext", `iteration ${told.textContent}`);
      view.refresh();
    },
  });
  return make("label", {}, "iterations ", slider, told);
}

// A node's figures; of a Monte-Carlo search those of the iteration shown, where these can be told.
function figuresOf(view, node) {
  const numbers = node.numbers ?? {};
  const visits = view.counts ? view.counts.visits[node.number] : numbers.visits;
  const value = view.counts ? view.counts.values[node.number] : numbers.value;
  return { visits, value, reward: numbers.reward, mean: visits ? value / visits : 0 };
}

function figuresInWords(view, node) {
  const { visits, value, reward } = figuresOf(view, node);
  const parts = [];
  if (visits !== undefined) parts.push(`N ${visits}`, `Q ${short(value)}`);
  if (reward !== undefined) parts.push(`reward ${short(reward)}`);
  if (node.iteration) parts.push(`iteration ${node.iteration}`);
  return parts.join(" · ");
}

function drawMap(view) {
  const { placed, leaves, depth } = layOut(view.root, view.isShown, view.isFolded);
  const named = leaves <= LABELLED;
  const numbered = view.root.children.length && view.nodes.some((node) => node.parent && node.numbers);
  const wide = named ? Math.max(132, Math.min(WIDE, roomForMap(view) / (depth + 1))) : 0;
  const rows = named ? (numbered ? 40 : 32) : 0;
  const gap = Math.max(12, Math.min(26, roomForMap(view) / leaves));
  const width = named ? 30 + (depth + 1) * wide : 40 + leaves * gap;
  const height = named ? 20 + leaves * rows : 40 + depth * 62;
  for (const each of placed) {
    each.x = named ? 16 + each.level * wide : 20 + each.across * gap;
    each.y = named ? 22 + each.across * rows : 18 + each.level * 62;
  }
  const most = Math.max(1, figuresOf(view, view.root).visits ?? 1);
  const isBold = ({ node }) => leads(node);
  const below = placed.filter((each) => each.parent).sort((a, b) => isBold(a) - isBold(b)); // the bold lines above the others
  const edges = below.map((each) => edge(each, isBold(each), named, wide));
  const points = placed.map((each) => mapNode(view, each, { named, most, letters: Math.floor((wide - 42) / 6) }));
  const about = `The tree as a map, ${countOf(view.nodes.length - 1, "node")}; it is told in words below.`;
  Object.assign(view, { placed, sideways: named });
  return draw("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "tree", "aria-label": about }, draw("g", { "aria-hidden": "true" }, edges), points);
}

function edge({ x, y, parent }, bold, named, wide) {
  const kind = bold ? "edge chosen" : "edge";
  if (!named) return draw("path", { class: kind, d: `M${parent.x} ${parent.y}C${parent.x} ${parent.y + 34} ${x} ${y - 34} ${x} ${y}` });
  const turn = parent.x + wide - 44;
  return draw("path", { class: kind, d: `M${parent.x} ${parent.y}H${turn}C${turn + 26} ${parent.y} ${turn + 12} ${y} ${x} ${y}` });
}

// Whether the node is on a path that was read, or leads to one that was accepted.
function leads(node) {
  return node.mark === "chosen" || leadsToAccepted(node);
}

function leadsToAccepted(node) {
  if (node.accepted === undefined) node.accepted = node.mark === "accept" || node.children.some(leadsToAccepted);
  return node.accepted;
}

function mapNode(view, { node, x, y, leaf }, { named, most, letters }) {
  const { visits, mean } = figuresOf(view, node);
  const radius = visits === undefined ? 5 : 3 + 6 * Math.sqrt(visits / most);
  const kind = `node ${node.mark} ${view.chosen === node ? "at" : ""} ${visits === undefined ? "" : "valued"}`;
  const body = draw("circle", { class: "body", cx: x, cy: y, r: radius });
  if (visits !== undefined) body.setAttribute("fill-opacity", Math.max(0, Math.min(1, mean)).toFixed(2));
  const numbers = visits === undefined ? (node.numbers?.reward === undefined ? "" : `reward ${short(node.numbers.reward)}`) : `N ${visits} · mean ${short(mean)}`;
  const folded = view.isFolded(node) && node.below ? ` +${node.below}` : "";
  return draw(
    "g",
    { class: kind, onclick: () => view.choose(node), ...pointable(view, node) },
    draw("circle", { class: "ground", cx: x, cy: y, r: radius }),
    body,
    findsGold(node) ? draw("circle", { class: "ring", cx: x, cy: y, r: radius + 3 }) : null,
    node.mark === "reject" ? draw("path", { class: "cross", d: `M${x - 3} ${y - 3}l6 6m0 -6l-6 6` }) : null,
    named ? draw("text", { x: x + radius + 6, y: leaf && !numbers ? y + 4 : y - 6 }, nameOf(node, letters), folded) : null,
    named && numbers ? draw("text", { class: "numbers", x: x + radius + 6, y: y + 14 }, numbers) : null,
    !named && folded ? draw("text", { class: "more", x: x + radius + 2, y: y + radius + 8 }, folded) : null,
  );
}

// What a node is called where there is room for so many letters: all of it, or the part in which it differs.
function nameOf(node, letters) {
  if (!node.parent) return "the question";
  if (node.short?.startsWith("→")) return clip(node.short, letters);
  if (node.label.length <= letters) return node.label;
  if (node.short || node.passage) return clip(node.short ?? node.label, letters);
  return clipInside(node.label, letters);
}

// The first words and the last ones: of questions these tell the most.
function clipInside(text, letters) {
  const words = text.split(/\s+/);
  let first = "";
  while (first.length + words[0].length < letters * 0.4) first += `${words.shift()} `;
  let last = "";
  while (words.length && first.length + last.length + words.at(-1).length + 2 < letters) last = ` ${words.pop()}${last}`;
  return last ? `${first}…${last}` : clip(text, letters);
}

function clip(text, letters) {
  return text.length > letters ? `${text.slice(0, letters - 1).trimEnd()}…` : text;
}

function roomForMap(view) {
  return view.map.clientWidth || (Math.min(innerWidth, 1180) - 60) / (runs.length > 1 && innerWidth > 900 ? 2.1 : 1);
}

// Whether the node's own search found gold that its path did not have yet.
function findsGold(node) {
  if (node.passage) return node.passage.gold;
  const before = new Set();
  for (let each = node.parent; each; each = each.parent) for (const passage of each.passages ?? []) before.add(passage.id);
  return (node.passages ?? []).some((passage) => passage.gold && !before.has(passage.id));
}

// What the signs of the map mean; only those that this tree has.
function legend(view) {
  const has = (mark) => view.nodes.some((node) => node.mark === mark);
  const words = {
    accept: "accepted: enough to answer",
    search: "searched further",
    reject: "rejected",
    chosen: "on the path that was read",
    kept: "kept",
    dropped: "dropped",
  };
  const sign = (mark) =>
    draw("svg", { viewBox: "0 0 14 14", "aria-hidden": "true", class: "sign" }, draw("g", { class: `node ${mark}` }, draw("circle", { class: "body", cx: 7, cy: 7, r: 5 }), mark === "reject" ? draw("path", { class: "cross", d: "M4 4l6 6m0 -6l-6 6" }) : null));
  const lines = Object.keys(words).filter(has).map((mark) => make("li", {}, sign(mark), words[mark]));
  const ring = draw("svg", { viewBox: "0 0 14 14", "aria-hidden": "true" }, draw("circle", { class: "ring", cx: 7, cy: 7, r: 5 }));
  if (view.nodes.some(findsGold)) lines.push(make("li", {}, ring, view.root.children[0].passage ? "a gold passage" : "found gold that its path lacked"));
  if (view.nodes.some((node) => node.numbers?.visits !== undefined)) lines.push(make("li", {}, "size: visits; filled: mean value"));
  return make("ul", { class: "legend map-signs" }, lines);
}
