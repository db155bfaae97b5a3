// What an answer stands on: how sure it is, what was withheld, and the sentences that bear it.

// The answer, or the one that was withheld: what citations and marks are about.
function guessOf(record) {
  return record.best_guess ?? record.answer ?? "";
}

// The confidence in a few words; an answer that says itself that there is none is not said to be sure.
function sureness(record) {
  if (record.confidence === undefined || (record.abstained && record.best_guess === undefined)) return null;
  return make("span", { class: "sure" }, `${(100 * record.confidence).toFixed(0)} % sure${record.calibrated ? "" : ", not calibrated"}`);
}

// Why an answer was withheld, and which.
function withheldView(record) {
  if (record.best_guess === undefined) return null;
  return make("div", { class: "withheld" }, record.reason ? make("p", { class: "note" }, record.reason) : null, make("p", {}, make("span", { class: "soft" }, "best guess "), make("b", {}, record.best_guess), " ", sureness(record)));
}

// The claims that no passage bears, but for the answer.
function unborneView(record) {
  const claims = (record.citations ?? []).filter(({ claim, verdict }) => verdict === "not found" && claim !== guessOf(record)).map(({ claim }) => claim);
  if (!claims.length) return null;
  return make("p", { class: "note" }, "No source bears: ", claims.map((claim, at) => [at ? "; " : "", make("q", {}, claim)]));
}

// The citations that point into a passage, those of the answer first.
function citationsIn(record, passage) {
  const cited = (record.citations ?? []).filter((each) => each.passage === passage.id && each.sentence);
  return cited.sort((a, b) => (a.claim !== guessOf(record)) - (b.claim !== guessOf(record)));
}

function bearsAnswer(record, passage) {
  return citationsIn(record, passage).some(({ claim, verdict }) => claim === guessOf(record) && verdict === "supported");
}

// A text with the answers marked in it, and the cited sentences as such; a sentence that is cut off is left as it is.
function citedText(text, citations, gold, given) {
  const found = citations.map((each) => ({ ...each, from: text.indexOf(each.sentence) })).filter(({ from }) => from >= 0);
  found.sort((a, b) => a.from - b.from);
  const parts = [];
  let end = 0;
  for (const citation of found) {
    if (citation.from < end) continue;
    parts.push(highlight(text.slice(end, citation.from), gold, given), citedSentence(citation, gold, given));
    end = citation.from + citation.sentence.length;
  }
  return [...parts, highlight(text.slice(end), gold, given)].flat();
}

function citedSentence({ claim, verdict, sentence }, gold, given) {
  const against = verdict === "contradicted";
  return make("span", { class: against ? "bears against" : "bears", title: `${against ? "says otherwise than" : "bears"}: ${claim}` }, highlight(sentence, gold, given));
}
