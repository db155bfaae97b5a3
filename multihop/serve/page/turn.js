// One question of the conversation: its steps are lines while it is answered, and its search is drawn when it is.

const runs = [null]; // the scripts of the map give each of several runs less room

function newTurn(question, program, lm) {
  const turn = { question, program, full: null, record: null, picture: null, steps: 0, drafts: {} };
  turn.heading = make("h2", {}, question);
  turn.meant = make("p", { class: "under", hidden: true });
  turn.result = make("div", {});
  turn.lines = make("ol", { class: "lines" });
  turn.summary = make("summary", {}, "The search");
  turn.search = make("details", { class: "search", open: true }, turn.summary, turn.lines);
  turn.view = make("article", { class: "turn", "aria-busy": "true" }, make("p", { class: "kind" }, [program, lm].filter(Boolean).join(" · ")), turn.heading, turn.meant, turn.result, turn.search);
  return turn;
}

// What the scripts of the map and the rounds read of a question.
function recordOf(turn) {
  const { record, picture } = turn;
  const passages = record?.passages ?? [];
  const texts = Object.fromEntries(passages.map((passage) => [passage.id, passage.text]));
  return { picture, answers: [], answer: record?.answer ?? "", gold: [], passages, texts, steps: record?.trajectory ?? [] };
}

function pictureView(record) {
  if (record.picture.root) return treeView(record);
  if (record.picture.rounds) return roundsView(record);
  return make("p", { class: "note" }, "Nothing was searched for.");
}

function addStep(turn, step) {
  turn.steps += 1;
  delete turn.drafts[step.step];
  const said = step.query ?? step.error ?? Object.values(step.outputs ?? {}).map(inWords).join(" · ");
  const found = (step.hits ?? []).map((hit) => hit.title || hit.id).join(" · ");
  turn.lines.append(make("li", {}, make("b", {}, step.step), ` ${clip([said, found].filter(Boolean).join(" → "), 240)}`));
  if (step.step === "stand_alone" && step.outputs) meantAs(turn, step.outputs.full_question);
}

// What a step writes while it writes it: it may still be asked again.
function addToken(turn, { step, text }) {
  turn.drafts[step] = (turn.drafts[step] ?? "") + text;
  turn.result.replaceChildren(make("p", { class: "answer soft" }, turn.drafts[step]));
}

function meantAs(turn, full) {
  turn.full = full;
  turn.meant.replaceChildren("read as: ", make("b", {}, full));
  turn.meant.hidden = full === turn.question;
}

function finishTurn(turn, record) {
  turn.record = record;
  const { view, cited } = sourcesView(record);
  const numbers = cited.length ? citedNumbers(cited) : null;
  const answer = make("p", { class: "answer" }, make("span", { class: record.answer ? "given" : "soft" }, record.answer || "no answer"), numbers);
  turn.result.replaceChildren(
    answer,
    ...[
      record.over_budget ? make("p", { class: "note" }, "The budget ran out: the answer rests on what was found until then.") : null,
      make("h3", {}, "Sources"),
      record.passages.length && record.answer && !cited.length ? make("p", { class: "note" }, "No source bears the answer.") : null,
      view,
      make("p", { class: "line" }, costFigures(record.cost)),
      shareLine(turn),
    ].filter(Boolean),
  );
  const drawn = turn.picture ? pictureView(recordOf(turn)) : null;
  const steps = stepsView({ ...recordOf(turn), steps: record.trajectory.filter((step) => !step.tree) }, turn.question);
  turn.lines.replaceWith(...[drawn, make("h3", {}, "Every step"), steps].filter(Boolean));
  turn.summary.textContent = `The search: ${countOf(record.cost.retrievals, "retrieval")}, ${countOf(turn.steps, "step")}`;
  turn.search.open = false;
  rest(turn);
}

function failTurn(turn, sentence) {
  turn.result.replaceChildren(make("p", { class: "failure" }, sentence));
  if (!turn.steps) turn.search.hidden = true;
  rest(turn);
}

function rest(turn) {
  turn.view.removeAttribute("aria-busy");
}

function costFigures(cost) {
  const figure = (name, value) => [make("span", {}, `${name} `, make("b", {}, value)), " "];
  const tokens = Object.values(cost.tokens).reduce((sum, each) => sum + each.in + each.out, 0);
  return [
    figure("LM calls", whole.format(cost.calls)),
    figure("retrievals", whole.format(cost.retrievals)),
    figure(cost.estimated ? "tokens, about" : "tokens", whole.format(tokens)),
    figure("seconds", cost.seconds.toFixed(2)),
    cost.usd === 0 ? null : figure("price", inDollars(cost.usd)),
    cost.cached ? figure("of the calls from the cache", whole.format(cost.cached)) : null,
  ];
}

function inDollars(usd) {
  if (usd === null || usd === undefined) return "not known";
  return usd >= 1 ? `$${usd.toFixed(2)}` : `$${Number(usd.toPrecision(3))}`;
}

function foldTurn(turn) {
  const answer = turn.record ? turn.record.answer || "no answer" : "not answered";
  return make("details", {}, make("summary", {}, turn.question, " ", make("b", {}, answer)), turn.view);
}

// A link to a question: after #, which no server is sent. Who opens it finds the form filled in; nothing is asked.

function linkTo(question, program) {
  return `#${new URLSearchParams({ q: question, program })}`;
}

function readLink() {
  const given = new URLSearchParams(location.hash.slice(1));
  return { question: given.get("q") ?? "", program: given.get("program") ?? "" };
}

function shareLine(turn) {
  const link = make("a", { href: linkTo(turn.full ?? turn.question, turn.program) }, "link to this question");
  const told = make("span", { role: "status" });
  link.addEventListener("click", async (event) => {
    event.preventDefault();
    history.replaceState(null, "", link.href);
    try {
      await navigator.clipboard.writeText(link.href);
      told.textContent = "copied";
    } catch {
      told.textContent = "it is in the address now";
    }
  });
  return make("p", { class: "note share" }, link, " ", told);
}
