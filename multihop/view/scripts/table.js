// The table: all rows have one height, and only those in sight are there.

const grid = document.getElementById("grid");
const ROW = 74;
const AROUND = 8; // rows above and below the window that are there too
const MOST_AT_ONCE = 300; // so many rows are all there, so that the browser finds words in them
const MOST_PRINTED = 1000;
let shown = [];
let at = 0;
let sorted = { column: null, down: true };
let printing = false;
let there = [];
const columns = listColumns();

// Each column: its name, its width, what a cell shows, and what it is sorted by.
function listColumns() {
  const list = [];
  if (runs.length < 4 && items.some((item) => item.type)) {
    list.push({ name: "type", width: "8rem", wide: true, kind: "t", show: (item) => item.type, key: (item) => item.type });
  }
  if (items.some((item) => item.hops)) {
    list.push({ name: "hops", width: "2.6rem", wide: true, kind: "n", show: (item) => item.hops || "–", key: (item) => item.hops });
  }
  if (runs.length > 1) {
    runs.forEach((run, number) => {
      const show = (item) => [outcomeMark(number, item), ` ${percent(metric(number, item, "f1"))}`];
      list.push({ name: run.name, told: `f1 of ${run.name}`, width: runs.length > 6 ? "3.6rem" : runs.length > 3 ? "5.6rem" : "8rem", kind: "n many", show, key: (item) => metric(number, item, "f1") });
    });
    return list;
  }
  const measured = Object.keys(runs[0].questions.metrics);
  const own = measured.filter((name) => !/^(em|f1|acc|K|sup-|recall@|all-recall@)/.test(name)).slice(0, 2);
  for (const name of ["f1", "recall@5", ...own].filter((each) => measured.includes(each))) {
    list.push({ name, width: "4.4rem", kind: "n", wide: name !== "f1", show: (item) => inUnit(name, metric(0, item, name)), key: (item) => metric(0, item, name) });
  }
  for (const [column, width, form, name = column] of [["calls", "3.2rem", whole.format], ["tokens", "4.2rem", whole.format], ["seconds", "4.2rem", (value) => value.toFixed(2), "s"]]) {
    list.push({ name, width, kind: "n", wide: true, show: (item) => form(cell(0, item, column)), key: (item) => cell(0, item, column) });
  }
  return list;
}

function buildTable() {
  grid.style.setProperty("--columns", columns.map((column) => column.width).join(" "));
  if (runs.length > 1) grid.style.setProperty("--first", "0rem");
  grid.style.setProperty("--narrow", columns.filter((column) => !column.wide).map((column) => (runs.length > 1 ? "3.4rem" : column.width)).join(" "));
  grid.append(make("div", { role: "rowgroup" }, make("div", { class: "row head", role: "row" })), make("div", { class: "rows", role: "rowgroup" }));
  showHead();
  addEventListener("scroll", () => requestAnimationFrame(showRows), { passive: true });
  addEventListener("resize", () => requestAnimationFrame(showRows));
  addEventListener("beforeprint", () => print(true));
  addEventListener("afterprint", () => print(false));
  grid.addEventListener("keydown", moveByKey);
  grid.addEventListener("focus", () => showRows());
  for (const field of [search, chosenOutcome, chosenType, chosenHops]) field.addEventListener("input", refreshTable);
  document.getElementById("filters").addEventListener("submit", (event) => event.preventDefault());
  refreshTable();
}

function showHead() {
  const heads = [
    sortHead(runs.length > 1 ? null : "✓", "outcome", {}, (item) => ["error", "wrong", "part", "unknown", "right", "absent"].indexOf(outcome(0, item))),
    sortHead("question", "question", {}, null),
    ...columns.map((column) => sortHead(column.name, column.told ?? column.name, { class: `${column.kind}${column.wide ? " wide" : ""}` }, column.key)),
  ];
  grid.querySelector(".head").replaceChildren(...heads);
}

function sortHead(text, name, attributes, key) {
  const active = sorted.column === name;
  const order = active ? (sorted.down ? "descending" : "ascending") : "none";
  const arrow = active && name !== "question" ? (sorted.down ? " ↓" : " ↑") : "";
  if (text === null) return make("span", { role: "columnheader" }, make("span", { class: "hidden" }, "outcome"));
  const press = button(`${text}${arrow}`, () => sortBy(name, key), { "aria-label": `sort by ${name}`, title: name });
  return make("span", { role: "columnheader", "aria-sort": order, ...attributes }, press);
}

function sortBy(name, key) {
  sorted = name === "question" ? { column: null, down: true } : { column: name, key, down: sorted.column === name ? !sorted.down : true };
  refreshTable();
  showHead();
  grid.querySelector(`[aria-label="${CSS.escape(`sort by ${name}`)}"]`)?.focus();
}

function refreshTable() {
  shown = chooseItems();
  if (sorted.column) {
    const keys = new Map(shown.map((item) => [item, sorted.key(item)]));
    const way = sorted.down ? -1 : 1;
    shown.sort((a, b) => compareKeys(keys.get(a), keys.get(b), way)); // what is not known comes last
  }
  at = Math.min(at, Math.max(0, shown.length - 1));
  document.getElementById("shown").textContent =
    shown.length === items.length ? countOf(items.length, "question") : `${whole.format(shown.length)} of ${countOf(items.length, "question")}`;
  grid.setAttribute("aria-rowcount", shown.length + 1);
  showRows();
}

function compareKeys(a, b, way) {
  if (a === null || b === null) return (a === null) - (b === null);
  return a < b ? -way : a > b ? way : 0;
}

function showRows() {
  if (document.getElementById("overview").hidden) return;
  const rows = grid.querySelector(".rows");
  rows.style.height = `${Math.max(1, shown.length) * ROW}px`;
  const top = -rows.getBoundingClientRect().top;
  const whole = printing || shown.length <= MOST_AT_ONCE;
  const first = whole ? 0 : Math.max(0, Math.floor(top / ROW) - AROUND);
  const last = Math.min(shown.length, whole ? MOST_PRINTED : Math.ceil((top + innerHeight) / ROW) + AROUND);
  if (isThere(first, last)) return;
  const places = new Set(Array.from({ length: Math.max(0, last - first) }, (_, place) => first + place));
  if (shown.length) places.add(at); // the chosen row is there wherever it is, since the grid points to it
  rows.replaceChildren(...[...places].sort((a, b) => a - b).map((place) => tableRow(shown[place], place)));
  if (!shown.length) rows.append(make("div", { class: "none", role: "row" }, make("span", { role: "gridcell" }, "No question is like that.")));
  if (shown.length) grid.setAttribute("aria-activedescendant", `row-${at}`);
  else grid.removeAttribute("aria-activedescendant");
}

// Whether just these rows are there already, with the same one chosen; scrolling then changes nothing.
function isThere(first, last) {
  const now = [shown, sorted, first, last, at, printing];
  const same = there.length === now.length && now.every((each, place) => each === there[place]);
  there = now;
  return same;
}

function tableRow(item, place) {
  const run = Math.max(0, item.places.findIndex((each) => each >= 0));
  const said = cell(run, item, "answer");
  const gold = cell(run, item, "gold");
  const kind = outcome(run, item);
  const under = runs.length > 1
    ? make("span", { class: "said" }, gold ? ["gold: ", make("b", {}, gold)] : "no gold answer")
    : make("span", { class: "said" }, make("b", {}, said || "no answer"), kind === "right" || !gold ? "" : ` · gold: ${gold}`, cell(run, item, "status") === "over_budget" ? " · over budget" : "");
  const row = make(
    "div",
    { class: "row", role: "row", id: `row-${place}`, "aria-rowindex": place + 2, "aria-selected": place === at ? "true" : "false", onclick: (event) => openByClick(event, item, place) },
    make("span", { role: "gridcell" }, runs.length > 1 ? "" : outcomeMark(0, item)),
    make("span", { role: "gridcell", class: "ask" }, make("a", { href: linkTo(item), tabindex: "-1" }, item.question), under),
    columns.map((column) => make("span", { role: "gridcell", class: `${column.kind}${column.wide ? " wide" : ""}` }, column.show(item))),
  );
  row.style.transform = `translateY(${place * ROW}px)`;
  return row;
}

function openByClick(event, item, place) {
  at = place;
  if (event.target.closest("a") || event.ctrlKey || event.metaKey || String(getSelection())) return;
  location.hash = linkTo(item);
}

function moveByKey(event) {
  const page = Math.max(1, Math.floor(innerHeight / ROW) - 3);
  const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -shown.length, End: shown.length };
  if (event.target !== grid || event.altKey || event.ctrlKey || event.metaKey) return;
  if (event.key === "Enter" && shown[at]) location.hash = linkTo(shown[at]);
  if (!(event.key in steps)) return;
  event.preventDefault();
  at = Math.min(Math.max(0, at + steps[event.key]), Math.max(0, shown.length - 1));
  bringIntoView();
  showRows();
}

function bringIntoView() {
  const top = grid.querySelector(".rows").getBoundingClientRect().top + at * ROW;
  const head = grid.querySelector(".head").offsetHeight;
  if (top < head) scrollBy(0, top - head - ROW);
  else if (top + ROW > innerHeight) scrollBy(0, top + 2 * ROW - innerHeight);
}

function print(on) {
  printing = on;
  showRows();
}
