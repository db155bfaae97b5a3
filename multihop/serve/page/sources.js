// The numbered sources, with the answer and the cited sentences marked in them, and those that are cited.

const FIRST_SOURCES = 5; // shown at once, beside those that are cited
const LONG = 700; // characters of a source that are shown at once
const BEFORE = 240; // of these, before the answer

function sourcesView(record) {
  if (!record.passages.length) return { view: make("p", { class: "note" }, "It rests on no passages."), cited: [] };
  const lines = record.passages.map((passage, at) => sourceLine(record, passage, at));
  const cited = lines.filter((line, at) => citationsIn(record, record.passages[at]).length);
  const list = make("ol", { class: "sources" }, lines);
  const later = lines.filter((line, at) => at >= FIRST_SOURCES && !cited.includes(line));
  for (const line of later) line.hidden = true;
  const more = button(`show ${later.length} more`, () => {
    for (const line of later) line.hidden = false;
    more.remove();
  });
  return { view: make("div", {}, list, later.length ? make("div", { class: "tools" }, more) : null), cited };
}

function sourceLine(record, passage, at) {
  const [answer, citations] = [record.answer ?? "", citationsIn(record, passage)];
  const isAddress = /^https?:\/\//.test(passage.id);
  const name = highlight(passage.title || passage.id, [], answer);
  const title = isAddress ? make("a", { href: passage.id, rel: "noreferrer noopener" }, name) : name;
  const text = make("span", {}, excerpt(passage.text, citations, answer));
  const whole = passage.text.length > LONG ? wholeText(text, passage.text, citations, answer) : null;
  return make("li", { value: at + 1, tabindex: "-1" }, make("span", { class: "title" }, title), placeOf(passage), make("p", { class: "passage-text" }, text, whole));
}

// The file of a passage, and its page or row: a link where the server gives the documents.
function placeOf({ source }) {
  if (!source) return null;
  const { file, page, row } = source;
  const place = [file, page ? `page ${page}` : null, row ? `row ${row}` : null].filter(Boolean).join(", ");
  const href = `documents/${file.split("/").map(encodeURIComponent).join("/")}${page ? `#page=${page}` : ""}`;
  return make("p", { class: "note" }, about.documents ? make("a", { href, target: "_blank", rel: "noreferrer noopener" }, place) : place);
}

// The part of a long text around the first cited sentence, or the answer's first place in it, or its beginning.
function excerpt(text, citations, answer) {
  if (text.length <= LONG) return citedText(text, citations, answer);
  const cited = citations.length ? text.indexOf(citations[0].sentence) : -1;
  const first = cited >= 0 ? cited : (places(text, [answer], "is-given")[0]?.from ?? 0);
  const from = first > LONG - 60 ? first - BEFORE : 0;
  return [from ? "… " : null, citedText(text.slice(from, from + LONG), citations, answer), from + LONG < text.length ? " …" : null];
}

function wholeText(shown, text, citations, answer) {
  const open = button("whole text", () => {
    shown.replaceChildren(...citedText(text, citations, answer));
    open.remove();
  }, { class: "link" });
  return [" ", open];
}

// The sentences of a passage that bear the answer, the likeliest first.
function citationsIn(record, passage) {
  return record.citations.filter((each) => each.passage === passage.id);
}

// A text with the answer marked in it, and the cited sentences as such; a sentence that is cut off is left as it is.
function citedText(text, citations, answer) {
  const found = citations.map(({ sentence }) => ({ sentence, from: text.indexOf(sentence) })).filter(({ from }) => from >= 0);
  found.sort((a, b) => a.from - b.from);
  const parts = [];
  let end = 0;
  for (const { sentence, from } of found) {
    if (from < end) continue;
    const bears = make("span", { class: "bears", title: "bears the answer" }, highlight(sentence, [], answer));
    parts.push(highlight(text.slice(end, from), [], answer), bears);
    end = from + sentence.length;
  }
  return [...parts, highlight(text.slice(end), [], answer)].flat();
}

// A number for each source that is cited; it leads to the source.
function citedNumbers(cited) {
  const number = (line) =>
    button(String(line.value), () => {
      for (const each of line.parentElement.children) each.classList.toggle("at", each === line);
      line.scrollIntoView({ block: "nearest" });
      line.focus({ preventScroll: true });
    }, { "aria-label": `source ${line.value}` });
  return make("span", { class: "cited" }, cited.map((line) => [" ", number(line)]));
}
