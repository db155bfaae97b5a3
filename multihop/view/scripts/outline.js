// A searched tree in words: every node with its verdict, figures and texts, and what was not followed.

function writeTree(view) {
  return make("ul", {}, writeNode(view, view.root));
}

function writeNode(view, node) {
  const below = node.children.filter(view.isShown);
  const folded = view.isFolded(node);
  const open = node.open ?? (node.mark === "accept" || (node.mark === "chosen" && Boolean(node.parent)));
  const hasMore = node.texts.length || node.passages || node.rollout;
  const flip = () => {
    view.folded[folded ? "delete" : "add"](node.number);
    view.refresh();
    view.words.querySelector(`[data-fold="${node.number}"]`)?.focus();
  };
  const showTexts = () => {
    node.open = !open;
    view.refresh();
    view.words.querySelector(`[data-texts="${node.number}"]`)?.focus();
  };
  const name = node.passage ? passageName(node.passage) : node.label;
  const fold = below.length
    ? button(folded ? "▸" : "▾", flip, { class: "fold", "aria-expanded": String(!folded), "aria-label": `${folded ? "unfold" : "fold"} ${node.label}`, "data-fold": node.number })
    : make("span", { class: "fold leaf" });
  const line = make(
    "div",
    { class: "node-line" },
    fold,
    make("span", { class: "what" }, name),
    folded ? make("span", { class: "numbers" }, `+${node.below}`) : null,
    make("span", { class: "numbers" }, figuresInWords(view, node)),
    node.mark ? make("span", { class: `tag ${node.mark}` }, node.mark) : null,
    hasMore ? button(open ? "less" : "more", showTexts, { class: "link", "aria-expanded": String(open), "aria-label": `${open ? "less" : "more"} about ${node.label}`, "data-texts": node.number }) : null,
  );
  return make(
    "li",
    { class: view.chosen === node ? "at" : null },
    line,
    open && hasMore ? writeTexts(view, node) : writeGist(node),
    node.left_out ? make("p", { class: "pruned" }, "pruned: ", node.left_out.map((each, at) => [at ? "; " : "", passageName(each), `, ${each.why}`])) : null,
    below.length && !folded ? make("ul", {}, writeChildren(view, node, below)) : null,
  );
}

const NAMED_ASIDE = 4;

// The children, those on the chosen path first; the others in one line until they are asked for.
function writeChildren(view, node, below) {
  const path = below.filter(leads);
  const others = below.filter((child) => !leads(child));
  if (!path.length || !others.length) return below.map((child) => writeNode(view, child));
  const open = view.unfolded.has(node.number);
  const flip = () => {
    view.unfolded[open ? "delete" : "add"](node.number);
    view.refresh();
    view.words.querySelector(`[data-others="${node.number}"]`)?.focus();
  };
  const names = others.slice(0, NAMED_ASIDE).map((each) => clip(each.short ?? each.label, 48)).join(" · ");
  const nodes = others.reduce((sum, each) => sum + 1 + each.below, 0);
  const words = make("span", { class: "aside-names" }, open ? "" : `${names}${others.length > NAMED_ASIDE ? " · …" : ""}`);
  const count = `${countOf(others.length, "other")}${nodes > others.length && !open ? `, ${countOf(nodes, "node")}` : ""}`;
  const more = button([make("span", { "aria-hidden": "true", class: "fold" }, open ? "▾" : "▸"), make("span", { class: "aside-count" }, count), words], flip, { class: "aside", "aria-expanded": String(open), "data-others": node.number, title: names });
  return [path.map((child) => writeNode(view, child)), make("li", {}, more), open ? others.map((child) => writeNode(view, child)) : null];
}

function writeTexts(view, node) {
  const { record } = view;
  const text = (name, value) => make("p", { class: "text" }, make("span", { class: "name" }, name), name === "query" ? value : highlight(value, record.answers, record.answer ?? ""));
  const separated = (list) => list.flatMap((each, at) => (at ? [" · ", each] : [each]));
  return make(
    "div",
    { class: "more" },
    node.texts.map(([name, value]) => text(name, value)),
    node.passage ? passageText(record, node.passage) : null,
    node.passages ? make("p", { class: "text" }, make("span", { class: "name" }, "retrieved"), separated(node.passages.map(passageName))) : null,
    node.rollout
      ? make("details", { class: "step" }, make("summary", {}, `simulated on from here: ${countOf(node.rollout.length, "step")}`), node.rollout.map((step) => step.map(([name, value]) => text(name, value))))
      : null,
  );
}

const GIST = ["analysis", "query", "answer"];

// What a closed node says of itself, each in one line.
function writeGist(node) {
  const lines = node.texts.filter(([name]) => GIST.includes(name));
  return lines.map(([name, value]) => make("p", { class: "text gist" }, make("span", { class: "name" }, name), value.slice(0, 300)));
}
