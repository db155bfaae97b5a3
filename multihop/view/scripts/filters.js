// Which questions are shown: by words, outcome, type and hops.

const search = document.getElementById("search");
const chosenOutcome = document.getElementById("outcome");
const chosenType = document.getElementById("type");
const chosenHops = document.getElementById("hops");
const outcomes = new Map();

function fillFilters() {
  addOutcome("", "all", () => true, chosenOutcome);
  page.pairs.forEach((pair, at) => {
    const gained = new Set(pair.gained);
    const lost = new Set(pair.lost);
    const group = make("optgroup", { label: `${runs[pair.b].name} against ${runs[0].name}` });
    addOutcome(`gained-${at}`, `became right (${gained.size})`, (item) => gained.has(item.id), group);
    addOutcome(`lost-${at}`, `became wrong (${lost.size})`, (item) => lost.has(item.id), group);
    for (const { kind, words, places } of page.strips[at].segments.filter((part) => ["both", "neither"].includes(part.kind))) {
      const these = new Set(places);
      addOutcome(`${kind}-${at}`, `${words} (${these.size})`, (item) => these.has(item.places[pair.b]), group);
    }
    chosenOutcome.append(group);
  });
  runs.forEach((run, at) => {
    const into = runs.length === 1 ? chosenOutcome : make("optgroup", { label: run.name });
    for (const [name, words, test] of ofOneRun(at)) {
      const count = items.filter(test).length;
      if (count || name === "wrong") addOutcome(`${name}-${at}`, `${words} (${whole.format(count)})`, test, into);
    }
    if (into !== chosenOutcome) chosenOutcome.append(into);
  });
  fillLabels(chosenType, "type", (value) => value || "–");
  fillLabels(chosenHops, "hops", (value) => (value ? String(value) : "–"));
}

function ofOneRun(run) {
  const is = (...kinds) => (item) => kinds.includes(outcome(run, item));
  const complete = (item) => cell(run, item, "complete");
  return [
    ["right", "right", is("right")],
    ["part", "right in part", is("part")],
    ["wrong", "wrong", is("wrong")],
    ["wrong-found", "not right, though all gold was found", (item) => is("wrong", "part")(item) && complete(item) === true],
    ["right-not-found", "right, though not all gold was found", (item) => is("right")(item) && complete(item) === false],
    ["budget", "over budget", (item) => cell(run, item, "status") === "over_budget"],
    ["error", "failed", is("error")],
    ["unknown", "not known", is("unknown")],
  ];
}

function addOutcome(name, words, test, into) {
  outcomes.set(name, test);
  into.append(make("option", { value: name }, words));
}

function fillLabels(select, column, inWords) {
  const values = [...new Set(items.map((item) => item[column]))].sort((a, b) => (a > b ? 1 : a < b ? -1 : 0));
  select.append(make("option", { value: "" }, "all"), ...values.map((value) => make("option", { value: `=${value}` }, inWords(value))));
  select.parentElement.hidden = values.length < 2;
}

function chooseItems() {
  const words = search.value.trim().toLowerCase();
  const test = outcomes.get(chosenOutcome.value);
  return items.filter(
    (item) =>
      test(item) &&
      (!chosenType.value || chosenType.value === `=${item.type}`) &&
      (!chosenHops.value || chosenHops.value === `=${item.hops}`) &&
      (!words || textOf(item).includes(words)),
  );
}

function textOf(item) {
  if (item.text === undefined) {
    const said = runs.map((_, run) => `${cell(run, item, "answer") ?? ""}\n${cell(run, item, "gold") ?? ""}`);
    item.text = [item.id, item.question, ...said].join("\n").toLowerCase();
  }
  return item.text;
}
