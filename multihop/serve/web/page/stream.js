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
