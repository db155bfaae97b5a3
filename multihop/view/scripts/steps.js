// Every step with its inputs and outputs; a step's contents are made when it is opened.

function stepsView(record, question) {
  const titles = titlesOf(record);
  const list = make("div", {}, record.steps.map((step) => stepView(step, titles, question)));
  const every = (open) => () => {
    if (open) for (let closed; (closed = list.querySelectorAll("details:not([open])")).length; ) closed.forEach(openStep);
    else list.querySelectorAll("details[open]").forEach((each) => (each.open = false));
  };
  return make("div", {}, make("div", { class: "tools" }, button("unfold all steps", every(true)), button("fold all steps", every(false))), list);
}

function openStep(details) {
  details.fillIn();
  details.open = true;
}

function folded(summary, contents) {
  const details = make("details", { class: "step" }, make("summary", {}, summary));
  details.fillIn = () => {
    if (!details.isFilled) details.append(...[contents()].flat(9).filter(Boolean));
    details.isFilled = true;
  };
  details.addEventListener("toggle", () => details.open && details.fillIn());
  return details;
}

function stepView(step, titles, question) {
  if (step.branches) {
    if (step.branches.length === 1) return step.branches[0].map((each) => stepView(each, titles, question));
    const names = [...new Set(step.branches.flat().map((each) => each.step))].join(", ");
    const branch = (steps, at) => (steps.length === 1 ? stepView(steps[0], titles, question) : folded(`branch ${at + 1}`, () => steps.map((each) => stepView(each, titles, question))));
    return folded([make("b", {}, `${step.branches.length} at once`), ` ${names}`], () => step.branches.map(branch));
  }
  if (step.query !== undefined) {
    const hits = step.hits ?? [];
    return folded([make("b", {}, "find"), ` “${step.query}” → ${step.hits ? countOf(hits.length, "passage") : "failed"}`], () => fieldList(Object.fromEntries(hits.map((hit, at) => [`${at + 1}`, `${hit.title || hit.id}  (${short(hit.score)})`])), titles));
  }
  if (step.labels) return folded([make("b", {}, "label"), ` ${countOf(step.labels.length, "chunk")}`], () => step.labels.map((label) => fieldList(label, titles)));
  if (step.step === "stop" && step.outputs?.why) return make("p", { class: "note" }, `It ended early here: ${step.outputs.why}`);
  if (step.limit) return make("p", { class: "note" }, `The budget of ${step.limit} was used up here.`);
  const gist = step.error ?? Object.entries(step.outputs ?? {}).map(([name, value]) => `${name}: ${inWords(value)}`).join(" · ");
  return folded([make("b", {}, step.step), ` ${gist.length > 160 ? `${gist.slice(0, 159)}…` : gist}`], () => [
    step.inputs ? [make("p", { class: "inward" }, "given"), fieldList(step.inputs, titles, question)] : null,
    step.outputs ? [make("p", { class: "inward" }, "answered"), fieldList(step.outputs, titles)] : null,
    step.error ? make("p", { class: "note" }, `It failed: ${step.error}.`) : null,
  ]);
}

function fieldList(fields, titles, question) {
  const value = (name, each) => {
    if (name === "question" && each === question) return make("span", { class: "soft" }, "the question");
    if (Array.isArray(each)) return each.length ? make("ul", {}, each.map((part) => make("li", {}, titles.get(part) ?? inWords(part)))) : make("span", { class: "soft" }, "none");
    return titles.get(each) ?? inWords(each);
  };
  return make("dl", { class: "fields" }, Object.entries(fields).map(([name, each]) => make("div", {}, make("dt", {}, name), make("dd", {}, value(name, each)))));
}

function inWords(value) {
  if (typeof value === "string") return value || "–";
  if (value === null || value === undefined) return "–";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return short(value);
  const parts = Object.entries(value);
  const areNumbers = !Array.isArray(value) && parts.length && parts.every(([, part]) => typeof part === "number");
  return areNumbers ? parts.map(([name, part]) => `${name} ${short(part)}`).join(", ") : JSON.stringify(value);
}

// The titles of all passages that the question's steps and lists name.
function titlesOf(record) {
  const titles = new Map();
  const visit = (steps) => {
    for (const step of steps) {
      for (const hit of step.hits ?? []) titles.set(hit.id, hit.title || hit.id);
      for (const branch of step.branches ?? []) visit(branch);
    }
  };
  visit(record.steps);
  for (const passage of [...record.passages, ...record.gold]) titles.set(passage.id, passage.title);
  return titles;
}
