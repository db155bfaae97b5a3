// A run as far as it is: drawn from values, and drawn anew when its server tells others.

const OFTEN = 1000;
const SELDOM = 5000;
const SIGNS = { right: "✓", wrong: "✗", error: "!", unknown: "·" };

function strip(bar) {
  if (bar.mean === undefined) return null;
  return draw(
    "svg",
    { class: "strip", viewBox: "0 0 100 12", preserveAspectRatio: "none", role: "img", "aria-label": `${bar.name} ${bar.text}` },
    draw("rect", { class: "ground", x: 0, y: 3, width: 100, height: 6 }),
    draw("rect", { class: "mean", x: 0, y: 3, width: bar.mean, height: 6 }),
    bar.low === undefined
      ? null
      : draw("path", { class: "whisker", d: `M${bar.low} 6H${bar.high}M${bar.low} 2V10M${bar.high} 2V10` }),
  );
}

function table(caption, heads, rows) {
  return make(
    "table",
    { class: "figures" },
    make("caption", {}, caption),
    heads.length ? make("thead", {}, make("tr", {}, heads.map(([text, kind]) => make("th", { scope: "col", class: kind }, text)))) : null,
    make("tbody", {}, rows),
  );
}

function metrics(page) {
  if (!page.bars.length) return make("p", { class: "note" }, "Nothing has been measured yet.");
  const rows = page.bars.map((bar) =>
    make(
      "tr",
      {},
      make("th", { scope: "row" }, bar.name),
      make("td", { class: "drawn" }, strip(bar)),
      make("td", { class: "n" }, bar.text),
      make("td", { class: "n soft" }, bar.interval),
      make("td", { class: "n soft" }, bar.n.toLocaleString("en")),
    ),
  );
  const heads = [["metric"], [""], ["mean", "n"], ["95 % interval", "n"], ["n", "n"]];
  return table("Metrics, in percent, as far as they are", heads, rows);
}

function pairs(caption, facts) {
  const lines = facts.map(([name, text]) => make("div", {}, make("dt", {}, name), make("dd", {}, text)));
  return [make("h2", { class: "small" }, caption), make("dl", { class: "facts" }, lines)];
}

function question(each) {
  return make(
    "tr",
    {},
    make("td", {}, make("span", { class: `mark ${each.mark}`, role: "img", "aria-label": each.mark }, SIGNS[each.mark])),
    make(
      "th",
      { scope: "row" },
      make("span", { class: "soft" }, make("code", {}, each.id), ` ${each.question}`),
      make("div", {}, each.answer, each.note ? make("span", { class: "soft" }, ` (${each.note})`) : null),
    ),
  );
}

function show(page) {
  document.title = `${Math.floor(page.share)} % · ${page.title} – multihop`;
  document.getElementById("live").replaceChildren(
    make(
      "header",
      {},
      make("p", { class: "kind" }, page.running ? "A run of multihop, as it goes on" : "A run of multihop"),
      make("h1", {}, page.title),
      make("p", { class: "under" }, page.under),
    ),
    ...(page.warning ? [make("ul", { class: "warnings" }, make("li", {}, page.warning))] : []),
    make("p", { role: "status" }, `${page.done}: `, make("b", {}, page.status)),
    strip({ name: "finished", text: `${page.share} %`, mean: page.share }),
    make(
      "div",
      { class: "columns two" },
      make("section", { "aria-label": "Quality" }, metrics(page)),
      make("section", { "aria-label": "Progress and cost" }, pairs("So far", page.facts)),
    ),
    ...(page.earlier.length ? pairs("Repeats that have ended", page.earlier) : []),
    ...(page.questions.length ? [make("div", { class: "scroll" }, table("Finished last", [], page.questions.map(question)))] : []),
  );
}

async function follow() {
  let pause = SELDOM;
  try {
    const reply = await fetch("state.json", { cache: "no-store" });
    if (!reply.ok) throw new Error(await reply.text());
    const page = await reply.json();
    show(page);
    if (page.running) pause = OFTEN;
  } catch {
    document.querySelector("[role=status]").append(make("i", {}, " – no longer kept up to date: multihop watch does not answer."));
    return;
  }
  setTimeout(follow, pause);
}

show(JSON.parse(document.getElementById("data").textContent));
setTimeout(follow, OFTEN);
