// What the server sends while it answers: events, each with a name and a value.

async function readEvents(reply, take) {
  const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    text += value;
    const events = text.split("\n\n");
    text = events.pop();
    for (const each of events) readEvent(each, take);
  }
}

function readEvent(text, take) {
  let name = "message";
  let data = "";
  for (const line of text.split("\n")) {
    if (line.startsWith("event: ")) name = line.slice(7);
    if (line.startsWith("data: ")) data += line.slice(6);
  }
  if (data) take(name, JSON.parse(data));
}

const keyField = document.getElementById("key");
const locked = document.getElementById("locked");

// Asks this server; a key is asked for where the server wants one.
async function request(path, options = {}) {
  const headers = { "Content-Type": "application/json", ...(keyField.value ? { Authorization: `Bearer ${keyField.value}` } : {}) };
  const reply = await fetch(path, { ...options, headers });
  if (reply.status === 401 && locked.hidden) { // who is at another field by now, stays there
    locked.hidden = false;
    keyField.focus();
  }
  return reply;
}

// The form: a question goes to the program that is chosen, with what was said before.

const READ_BEFORE = 3; // turns that the server reads
const form = document.getElementById("form");
const field = document.getElementById("question");
const state = document.getElementById("state");
const askButton = document.getElementById("ask");
const stopButton = document.getElementById("stop");
const examples = document.getElementById("examples");
const choosing = document.getElementById("choosing");
const turns = [];
let about = { programs: [], examples: [] };
let leaving = null;

async function readAbout() {
  const reply = await request("about");
  if (!reply.ok) return;
  about = await reply.json();
  if (keyField.value) locked.hidden = true;
  const option = ({ name, what }, at) => {
    const choice = make("input", { type: "radio", name: "program", value: name, checked: at === 0, onchange: showChosen });
    return make("label", {}, choice, make("span", { class: "what" }, make("b", {}, name), ` ${what}`));
  };
  const programs = document.getElementById("programs");
  programs.replaceChildren(programs.querySelector("legend"), ...about.programs.map(option));
  const example = (question) => make("li", {}, button(question, () => ask(question), { class: "link" }));
  document.getElementById("example-list").replaceChildren(...about.examples.map(example));
  choosing.hidden = !about.programs.length;
  choosing.open = about.programs.length > 1;
  examples.hidden = !about.examples.length || turns.length > 0;
  followLink();
  showChosen();
}

function chosenProgram() {
  return form.elements.program?.value ?? about.programs[0]?.name ?? "";
}

function showChosen() {
  document.getElementById("chosen").textContent = chosenProgram();
}

function followLink() {
  const { question, program } = readLink();
  const choice = [...form.querySelectorAll("[name=program]")].find((each) => each.value === program);
  if (choice) choice.checked = true;
  if (!question) return;
  field.value = question;
  say("This question came with the link. Press Enter to ask it.");
  askButton.focus();
}

async function ask(question) {
  if (leaving || !question.trim()) return;
  const turn = begin(question.trim());
  leaving = new AbortController();
  show(askButton, stopButton);
  let failed = "the server ended before it answered.";
  const take = (name, value) => {
    if (name === "result" || name === "error") failed = "";
    taken[name]?.(turn, value);
  };
  try {
    const body = { question: turn.question, program: turn.program || null, pictures: true, earlier: turn.earlier };
    const reply = await request("ask/stream", { method: "POST", body: JSON.stringify(body), signal: leaving.signal });
    if (reply.ok) await readEvents(reply, take);
    else failed = (await reply.json()).error;
  } catch (error) {
    failed = error.name === "AbortError" ? "stopped." : "the server cannot be reached.";
  }
  if (failed) fail(turn, failed);
  leaving = null;
  show(stopButton, askButton);
}

// The question that was answered before is folded away, and the new one is there instead.
function begin(question) {
  const last = turns.at(-1);
  const answered = turns.filter((turn) => turn.record).slice(-READ_BEFORE);
  if (last) document.getElementById("earlier-turns").prepend(foldTurn(last));
  document.getElementById("earlier").hidden = !last;
  const name = chosenProgram();
  const turn = newTurn(question, name, about.programs.find((each) => each.name === name)?.lm ?? "");
  turn.earlier = answered.map((each) => ({ question: each.full ?? each.question, answer: each.record.answer }));
  turns.push(turn);
  document.getElementById("turn").replaceChildren(turn.view);
  examples.hidden = true;
  choosing.open = false;
  say("Searching.");
  return turn;
}

const taken = {
  step: addStep,
  token: addToken,
  picture: (turn, picture) => (turn.picture = picture),
  result(turn, record) {
    finishTurn(turn, record);
    say(`Answered: ${record.answer || "no answer"}`, { aloud: true });
    document.getElementById("going-on").hidden = false;
    field.value = "";
  },
  error: (turn, { error }) => fail(turn, error),
};

function fail(turn, sentence) {
  failTurn(turn, sentence);
  say(sentence === "stopped." ? "Stopped." : "It was not answered.");
}

function beginAnew() {
  turns.length = 0;
  document.getElementById("turn").replaceChildren();
  document.getElementById("earlier-turns").replaceChildren();
  for (const id of ["earlier", "going-on"]) document.getElementById(id).hidden = true;
  examples.hidden = !about.examples.length;
  say("");
  field.focus();
}

// What is going on, for all; what stands on the page anyway only for those to whom it is read.
function say(text, { aloud = false } = {}) {
  state.textContent = text;
  state.className = aloud ? "hidden" : "note";
}

function show(gone, there) {
  gone.hidden = true;
  there.hidden = false;
}

function followKey(event) {
  if (event.altKey || event.ctrlKey || event.metaKey || event.isComposing) return;
  const typing = event.target.closest?.("input, textarea, select");
  if (event.key === "Escape" && leaving) leaving.abort();
  else if (event.key === "/" && !typing) {
    event.preventDefault();
    field.focus();
  } else if (event.key === "Enter" && event.target === field && !event.shiftKey) {
    event.preventDefault();
    ask(field.value);
  }
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (document.activeElement !== keyField) ask(field.value); // Enter in the key's field gives the key alone
});
stopButton.addEventListener("click", () => leaving?.abort());
document.getElementById("anew").addEventListener("click", beginAnew);
keyField.addEventListener("change", readAbout);
document.addEventListener("keydown", followKey);
addEventListener("hashchange", followLink);
readAbout();
