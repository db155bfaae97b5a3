// The numbered sources, with the answer and the cited sentences marked in them, and those that bear the answer: where
// nothing was cited, those in which it stands.

const FIRST_SOURCES = 5; // shown at once, beside those in which the answer stands
const LONG = 700; // characters of a source that are shown at once
const BEFORE = 240; // of these, before the answer

function sourcesView(record) {
  if (!record.passages.length) return { view: make("p", { class: "note" }, "It rests on no passages."), cited: [] };
  const lines = record.passages.map((passage, at) => sourceLine(record, passage, at));
  const bears = (line, at) => (record.citations ? bearsAnswer(record, record.passages[at]) : line.querySelector("mark.is-given"));
  const cited = lines.filter(bears);
  const list = make("ol", { class: "sources" }, lines);
  const later = lines.filter((line, at) => at >= FIRST_SOURCES && !cited.includes(line) && !line.querySelector(".bears"));
  for (const line of later) line.hidden = true;
  const more = button(`show ${later.length} more`, () => {
    for (const line of later) line.hidden = false;
    more.remove();
  });
  return { view: make("div", {}, list, later.length ? make("div", { class: "tools" }, more) : null), cited };
}

function sourceLine(record, passage, at) {
  const [answer, citations] = [guessOf(record), citationsIn(record, passage)];
  const isAddress = /^https?:\/\//.test(passage.id);
  const name = highlight(passage.title || passage.id, [], answer);
  const title = isAddress ? make("a", { href: passage.id, rel: "noreferrer noopener" }, name) : name;
  const text = make("span", {}, excerpt(passage.text, citations, answer));
  const whole = passage.text.length > LONG ? wholeText(text, passage.text, citations, answer) : null;
  return make("li", { value: at + 1, tabindex: "-1" }, make("span", { class: "title" }, title), make("p", { class: "passage-text" }, text, whole));
}

// The part of a long text around the first cited sentence, or the answer's first place in it, or its beginning.
function excerpt(text, citations, answer) {
  if (text.length <= LONG) return citedText(text, citations, [], answer);
  const cited = citations.length ? text.indexOf(citations[0].sentence) : -1;
  const first = cited >= 0 ? cited : (places(text, [answer], "is-given")[0]?.from ?? 0);
  const from = first > LONG - 60 ? first - BEFORE : 0;
  return [from ? "… " : null, citedText(text.slice(from, from + LONG), citations, [], answer), from + LONG < text.length ? " …" : null];
}

function wholeText(shown, text, citations, answer) {
  const open = button("whole text", () => {
    shown.replaceChildren(...citedText(text, citations, [], answer));
    open.remove();
  }, { class: "link" });
  return [" ", open];
}

// A number for each source that bears the answer; it leads to the source.
function citedNumbers(cited) {
  const number = (line) =>
    button(String(line.value), () => {
      for (const each of line.parentElement.children) each.classList.toggle("at", each === line);
      line.scrollIntoView({ block: "nearest" });
      line.focus({ preventScroll: true });
    }, { "aria-label": `source ${line.value}` });
  return make("span", { class: "cited" }, cited.map((line) => [" ", number(line)]));
}
