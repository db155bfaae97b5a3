// Where answers are in a text: the gold ones and the given one, whatever their case.

function highlight(text, gold, given) {
  const found = [...places(text, gold, "is-gold"), ...places(text, [given], "is-given")];
  found.sort((a, b) => a.from - b.from || b.to - a.to);
  const parts = [];
  let end = 0;
  for (const { from, to, kind } of found) {
    if (from < end) continue;
    parts.push(text.slice(end, from), make("mark", { class: kind, title: kind === "is-gold" ? "an accepted answer" : "the answer given" }, text.slice(from, to)));
    end = to;
  }
  parts.push(text.slice(end));
  return parts;
}

function places(text, wanted, kind) {
  const found = [];
  const low = text.toLowerCase();
  if (low.length !== text.length) return found; // a letter whose small form is longer: better no mark than a wrong one
  for (const each of wanted) {
    const word = (each || "").trim().toLowerCase();
    if (word.length < 2 || word === "yes" || word === "no") continue;
    for (let from = low.indexOf(word); from >= 0; from = low.indexOf(word, from + word.length)) {
      if (!isLetter(low[from - 1]) && !isLetter(low[from + word.length])) found.push({ from, to: from + word.length, kind });
    }
  }
  return found;
}

function isLetter(letter) {
  return letter !== undefined && /[\p{L}\p{N}]/u.test(letter);
}
