// What the page holds: the tables at once, each question when it is opened.

const page = JSON.parse(document.getElementById("data").textContent);
const runs = page.runs;
const items = listItems();
const unpacked = new Map();
// The whole file is there: its questions are at its end.
const read = document.readyState === "loading" ? new Promise((done) => addEventListener("DOMContentLoaded", done)) : Promise.resolve();
const KEPT = 12; // chunks that stay unpacked

// Every question of any run, with its place in each run's table, or -1.
function listItems() {
  const byId = new Map();
  runs.forEach((run, at) => {
    run.questions.id.forEach((id, place) => {
      if (!byId.has(id)) {
        const { question, type, hops } = run.questions;
        const item = { id, question: question[place], type: type[place], hops: hops[place], places: runs.map(() => -1) };
        byId.set(id, item);
      }
      byId.get(id).places[at] = place;
    });
  });
  const inOrder = new Intl.Collator("en", { numeric: true });
  return [...byId.values()].sort((a, b) => inOrder.compare(a.id, b.id));
}

function cell(run, item, column) {
  const place = item.places[run];
  return place < 0 ? null : runs[run].questions[column][place];
}

function metric(run, item, name) {
  const place = item.places[run];
  const values = runs[run].questions.metrics[name];
  return place < 0 || !values ? null : values[place];
}

// The question in full.
async function openRecord(run, item) {
  let within = item.places[run];
  let chunk = 0;
  while (within >= runs[run].sizes[chunk]) within -= runs[run].sizes[chunk++];
  const name = `chunk-${run}-${chunk}`;
  if (!document.getElementById(name)?.nextSibling) await read; // it may not be whole before something follows it
  if (!unpacked.has(name)) {
    if (unpacked.size >= KEPT) unpacked.delete(unpacked.keys().next().value);
    unpacked.set(name, unpack(document.getElementById(name).textContent));
  }
  return (await unpacked.get(name))[within];
}

async function unpack(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}
