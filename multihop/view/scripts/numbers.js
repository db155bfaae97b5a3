// Numbers as they are read, and marks for right and wrong.

const whole = new Intl.NumberFormat("en");

function percent(value) {
  return value === null || value === undefined ? "–" : (100 * value).toFixed(value === 0 || value === 1 ? 0 : 1);
}

function inUnit(name, value) {
  if (value === null || value === undefined) return "–";
  return name === "K" ? whole.format(value) : percent(value);
}

function short(value) {
  return Math.abs(value) >= 100 ? whole.format(Math.round(value)) : String(Number(value.toFixed(2)));
}

function countOf(number, noun) {
  return `${whole.format(number)} ${noun}${number === 1 ? "" : "s"}`;
}

const MARKS = {
  right: ["✓", "right"],
  part: ["≈", "right in part"],
  wrong: ["✗", "wrong"],
  error: ["!", "failed"],
  unknown: ["·", "not known"],
  absent: ["", "not asked"],
};

function outcome(run, item) {
  return item.places[run] < 0 ? "absent" : cell(run, item, "outcome");
}

function outcomeMark(run, item) {
  const kind = outcome(run, item);
  const [sign, words] = MARKS[kind];
  return make("span", { class: `mark ${kind}`, role: "img", "aria-label": words, title: words }, sign);
}
