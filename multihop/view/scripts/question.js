// One question: the answer beside gold, the search, passages, evidence, and every step; two runs side by side.

const overview = document.getElementById("overview");
const questionView = document.getElementById("question");

async function showQuestion(item, sides) {
  const opened = await Promise.all(sides.map(async (run) => (item.places[run] < 0 ? null : openRecord(run, item))));
  const parts = [
    around(item),
    make("header", {}, make("p", { class: "kind" }, [`Question ${item.id}`, item.type, item.hops ? countOf(item.hops, "hop") : ""].filter(Boolean).join(" · ")), make("h1", {}, item.question)),
    runs.length > 2 ? chooseSides(item, sides) : null,
    make("div", { class: `sides${sides.length > 1 ? " two" : ""}` }, sides.map((run, place) => oneSide(item, run, opened[place], sides.length > 1))),
  ];
  questionView.replaceChildren(...parts.filter(Boolean));
}

function around(item) {
  const place = shown.indexOf(item);
  const to = (step, words, key) => (shown[place + step] && place >= 0 ? make("a", { href: linkTo(shown[place + step]), rel: step < 0 ? "prev" : "next", title: `key ${key}` }, words) : null);
  return make(
    "nav",
    { class: "around", "aria-label": "Questions" },
    make("a", { href: "#", title: "key Esc" }, "all questions"),
    to(-1, "before", "←"),
    to(1, "after", "→"),
    place >= 0 ? make("span", { class: "place" }, `${whole.format(place + 1)} of ${whole.format(shown.length)}`) : null,
  );
}

function chooseSides(item, sides) {
  const choice = (place) =>
    make(
      "label",
      {},
      place ? "beside " : "show ",
      make("select", { onchange: (event) => (location.hash = linkTo(item, sides.map((run, each) => (each === place ? Number(event.target.value) : run)))) }, runs.map((run, at) => make("option", { value: at, selected: at === sides[place] }, run.name))),
    );
  return make("div", { class: "tools" }, choice(0), choice(1));
}

function oneSide(item, run, record, several) {
  const name = several ? make("h2", {}, runs[run].name) : null;
  const side = (...parts) => make("div", { class: "side" }, name, ...parts);
  if (!record) return side(make("p", { class: "note" }, "This run was not asked this question."));
  const heading = (text) => make(several ? "h3" : "h2", {}, text);
  return side(
    make("div", { class: several ? "top" : "top wide" }, make("div", {}, verdictOf(item, run, record), figuresLine(run, item, record)), make("div", {}, heading("Gold passages"), goldState(record))),
    heading("The search"),
    pictureView(record),
    heading("Passages returned"),
    returnedPassages(record),
    record.evidence.length ? [heading("What the answer rests on"), evidenceView(record)] : null,
    heading("Every step"),
    record.steps.length ? stepsView(record, item.question) : make("p", { class: "note" }, "None is on record."),
  );
}

function verdictOf(item, run, record) {
  if (record.error) {
    const gold = record.answers.length ? make("p", { class: "soft" }, `gold: ${record.answers.join(", or ")}`) : null;
    return make("div", { class: "failure" }, make("p", {}, make("b", {}, record.error.type)), record.error.message ? make("p", { class: "prose" }, record.error.message) : null, gold);
  }
  const over = cell(run, item, "status") === "over_budget" ? make("span", { class: "soft" }, " the budget ran out; it rests on what was found until then") : null;
  const [first, ...others] = record.answers;
  return make(
    "dl",
    { class: "verdict" },
    make("dt", {}, "answer"),
    make("dd", {}, outcomeMark(run, item), record.answer || make("span", { class: "soft" }, "nothing"), over),
    make("dt", {}, "gold"),
    make("dd", {}, first ?? make("span", { class: "soft" }, "not known"), others.length ? make("span", { class: "soft" }, `, or ${others.join(", or ")}`) : null),
  );
}

function figuresLine(run, item, record) {
  const { cost } = record;
  const measured = Object.entries(record.metrics).filter(([, value]) => value !== null);
  const figure = (name, value) => make("span", {}, `${name} `, make("b", {}, value));
  const counted = Object.entries(record.counts).map(([name, value]) => figure(name, short(value)));
  return [
    measured.length ? make("p", { class: "line" }, measured.map(([name, value]) => figure(name, inUnit(name, value)))) : null,
    make("p", { class: "line" }, figure("LM calls", whole.format(cost.calls)), figure("tokens", whole.format(cell(run, item, "tokens"))), figure("retrievals", whole.format(cost.retrievals)), figure("seconds", cost.seconds.toFixed(2)), counted),
  ];
}

function pictureView(record) {
  const { picture } = record;
  if (picture.root) return treeView(record);
  if (picture.rounds) return roundsView(record);
  return make("p", { class: "note" }, "Nothing is on record.");
}

function evidenceView(record) {
  const titles = titlesOf(record);
  return make("div", {}, record.evidence.map((each) => (each !== null && typeof each === "object" && !Array.isArray(each) ? fieldList(each, titles) : make("p", { class: "prose" }, inWords(each)))));
}
