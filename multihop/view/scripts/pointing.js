// A node of the map that is pointed at or focused tells all of itself; keys walk from node to node.

const TOLD = 400; // letters of each text that are told there

function makeHint(view) {
  view.hint = make("div", { class: "hint", role: "tooltip", id: `hint-${(view.id = nextMap++)}`, hidden: true });
  view.map.addEventListener("keydown", (event) => walk(view, event));
  return view.hint;
}

let nextMap = 1;

// The attributes that let a node be pointed at, focused and walked to; one node at a time is reached by the tab key.
function pointable(view, node) {
  const isAt = view.walked === node.number;
  return {
    role: "treeitem",
    tabindex: isAt ? "0" : "-1",
    "data-node": node.number,
    "aria-label": inOneLine(view, node),
    "aria-level": levelOf(node) + 1,
    "aria-selected": view.chosen === node ? "true" : "false",
    "aria-expanded": node.children.length ? String(!view.isFolded(node)) : null,
    onmouseenter: (event) => showHint(view, node, event.currentTarget),
    onmouseleave: () => hideHint(view),
    onfocus: (event) => {
      view.walked = node.number;
      if (event.currentTarget.matches(":focus-visible")) showHint(view, node, event.currentTarget);
    },
    onblur: () => hideHint(view),
  };
}

function levelOf(node) {
  let level = 0;
  for (let each = node.parent; each; each = each.parent) level += 1;
  return level;
}

function inOneLine(view, node) {
  const answer = node.texts.find(([name]) => name === "answer" || name === "verdict");
  const gold = findsGold(node) ? (node.passage ? "gold" : "found gold") : "";
  return [node.label, node.mark, gold, answer ? answer.join(": ") : "", figuresInWords(view, node)].filter(Boolean).join("; ");
}

function showHint(view, node, point) {
  const text = ([name, value]) => make("p", {}, make("span", { class: "name" }, name), value.length > TOLD ? `${value.slice(0, TOLD).trimEnd()}…` : value);
  const figures = figuresInWords(view, node);
  view.hint.replaceChildren(
    make("p", { class: "label" }, node.passage ? passageName(node.passage) : node.label),
    ...[node.mark || figures ? make("p", { class: "numbers" }, [node.mark, figures].filter(Boolean).join(" · ")) : null, ...node.texts.map(text)].filter(Boolean),
  );
  view.hint.hidden = false;
  const frame = view.hint.parentElement.getBoundingClientRect();
  const box = (point.querySelector(".body") ?? point).getBoundingClientRect();
  const left = Math.min(Math.max(0, box.left - frame.left - 12), Math.max(0, frame.width - view.hint.offsetWidth));
  const below = box.bottom + 10 + view.hint.offsetHeight <= innerHeight || box.top - frame.top < view.hint.offsetHeight;
  view.hint.style.left = `${left}px`;
  view.hint.style.top = `${below ? box.bottom - frame.top + 10 : box.top - frame.top - view.hint.offsetHeight - 10}px`;
}

function hideHint(view) {
  view.hint.hidden = true;
}

function walk(view, event) {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const here = view.placed.find(({ node }) => node.number === view.walked);
  if (!here) return;
  if (event.key === "Escape" && !view.hint.hidden) {
    hideHint(view);
    event.stopPropagation();
  } else if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    view.choose(here.node);
  } else {
    const next = neighbour(view, here, event.key);
    if (!event.key.startsWith("Arrow")) return;
    event.preventDefault();
    if (next) focusNode(view, next.node);
  }
}

// Along the tree, as it is drawn: to the parent, to the first child, to those beside it.
function neighbour(view, here, key) {
  const [back, on, before, after] = view.sideways ? ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"] : ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"];
  if (key === back) return here.parent;
  if (key === on) return view.placed.find(({ parent }) => parent === here);
  const beside = view.placed.filter(({ level }) => level === here.level).sort((a, b) => a.across - b.across);
  const step = key === before ? -1 : key === after ? 1 : 0;
  return step ? beside[beside.indexOf(here) + step] : null;
}

function focusNode(view, node) {
  view.map.querySelector(`[data-node="${view.walked}"]`)?.setAttribute("tabindex", "-1");
  const point = view.map.querySelector(`[data-node="${node.number}"]`);
  point?.setAttribute("tabindex", "0");
  point?.focus();
}
