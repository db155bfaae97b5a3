// Passages as they are named everywhere: gold ones with a diamond, their texts where the page has them.

function passageName(passage) {
  if (!passage.gold) return make("span", {}, passage.title);
  return make("span", { class: "gold" }, passage.title, make("span", { class: "hidden" }, " (gold)"));
}

function passageText(record, passage) {
  const text = record.texts?.[passage.id];
  return text ? make("p", { class: "passage-text" }, highlight(text, record.answers, record.answer ?? "")) : null;
}

function goldState(record) {
  if (!record.gold.length) return make("p", { class: "note" }, "The set names no gold passages for this question.");
  const how = (gold) => {
    if (gold.rank) return `returned, place ${gold.rank}`;
    return gold.found ? "found by a query, not returned" : "never found";
  };
  const text = (gold) => (gold.rank ? null : passageText(record, gold));
  return make(
    "ul",
    { class: "plain gold-state" },
    record.gold.map((gold) => make("li", {}, passageName(gold), make("span", { class: "how" }, how(gold)), text(gold))),
  );
}

const AT_FIRST = 5;

function returnedPassages(record) {
  if (!record.passages.length) return make("p", { class: "note" }, "None was returned.");
  const line = (passage) =>
    make("li", {}, passageName(passage), passage.score === null ? null : make("span", { class: "score" }, short(passage.score)), passageText(record, passage));
  const list = make("ol", { class: "passages" }, record.passages.slice(0, AT_FIRST).map(line));
  const rest = record.passages.slice(AT_FIRST);
  if (!rest.length) return list;
  const more = button(`show ${rest.length} more`, () => {
    list.append(...rest.map(line));
    more.remove();
  });
  return make("div", {}, list, make("div", { class: "tools" }, more));
}
