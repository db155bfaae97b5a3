// A chain round by round: what was searched for, found, labelled and answered, and what its memories gained.

const LONGEST_QUERY = 180;

function roundsView(record) {
  const rounds = record.picture.rounds;
  return make("div", {}, rounds.map((round, at) => oneRound(record, round, at)));
}

function oneRound(record, round, at) {
  const remembered = new Set(Object.values(round.memories).flat());
  return make(
    "section",
    { class: "round", "aria-label": `round ${at + 1}` },
    make("p", { class: "round-name" }, round.queries.length || at === 0 ? `round ${at + 1}` : "answer"),
    make(
      "div",
      {},
      round.queries.map((query) => queryLine(query)),
      round.labels.length ? labelTable(record, round.labels) : null,
      round.next.map((next) =>
        make("p", { class: "query" }, make("span", { class: "name" }, `next, after ${next.after}`), make("mark", {}, next.words), " → ", next.query),
      ),
      round.answers.map((answer) => answerLine(record, answer, remembered)),
      memoryBoxes(record, round.memories),
    ),
  );
}

function queryLine(query) {
  const found = (passage) => make("li", { class: passage.new ? null : "old", title: passage.new ? null : "found before" }, passageName(passage), make("span", { class: "score" }, short(passage.score)));
  return [
    make("p", { class: "query" }, make("span", { class: "name" }, "find"), query.text.length > LONGEST_QUERY ? `${query.text.slice(0, LONGEST_QUERY)}…` : query.text),
    make("ol", { class: "found" }, query.found.map(found)),
  ];
}

const LABELS_AT_FIRST = 5;

function labelTable(record, labels) {
  const body = make("tbody", {}, labels.slice(0, LABELS_AT_FIRST).map(labelRow));
  const table = make("table", { class: "labels" }, make("caption", { class: "hidden" }, "chunks, labelled"), body);
  const rest = labels.slice(LABELS_AT_FIRST);
  if (!rest.length) return table;
  const more = button(`show ${rest.length} less likely`, () => {
    body.append(...rest.map(labelRow));
    more.remove();
  });
  return make("div", {}, table, make("div", { class: "tools" }, more));
}

function labelRow(label) {
  const bar = draw("svg", { viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true", class: "strip" }, draw("rect", { class: "ground", width: 100, height: 10 }), draw("rect", { class: "mean", width: 100 * label.relevant, height: 10 }));
  const words = label.words.flatMap((word, at) => (at ? [" ", make("mark", {}, word)] : [make("mark", {}, word)]));
  return make(
    "tr",
    {},
    make("td", { class: "chance" }, bar, label.relevant.toFixed(2)),
    make("td", {}, make("span", { class: `tag ${label.tag}` }, label.tag)),
    make("td", {}, passageName(label)),
    make("td", { class: "words" }, words),
  );
}

// The answer of a step; what went into a memory as it was is shown there.
function answerLine(record, answer, remembered) {
  if (answer.error) return make("p", { class: "spoken" }, make("span", { class: "name" }, answer.step), answer.error);
  const isRemembered = (value) => remembered.has(value) || (value.length > 20 && [...remembered].some((text) => text.includes(value)));
  const fields = Object.entries(answer.outputs).filter(([, value]) => typeof value !== "string" || (value && !isRemembered(value)));
  return fields.map(([name, value]) => {
    const text = typeof value === "string" ? highlight(value, record.answers, record.answer ?? "") : inWords(value);
    return make("p", { class: "spoken" }, make("span", { class: "name" }, name === answer.step ? name : `${answer.step}, ${name.replaceAll("_", " ")}`), text);
  });
}

function memoryBoxes(record, memories) {
  const entries = Object.entries(memories);
  if (!entries.length) return null;
  const box = ([name, texts]) =>
    make("div", { class: "memory" }, make("p", { class: "memory-name" }, `into ${name}`), texts.map((text) => make("p", {}, highlight(text, record.answers, record.answer ?? ""))));
  return make("div", { class: "memories" }, entries.map(box));
}
