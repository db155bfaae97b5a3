// Which question is shown is in the address, after #, so that a link to it survives.

let scrolled = 0;

function linkTo(item, sides = null) {
  const also = sides && runs.length > 2 ? `&runs=${sides.join(",")}` : "";
  return `#q=${encodeURIComponent(item.id)}${also}`;
}

function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1).replaceAll("+", "%2B"));
  const item = items.find((each) => each.id === given.get("q"));
  const asked = (given.get("runs") ?? "").split(",").map(Number).filter((run) => Number.isInteger(run) && runs[run]);
  return { item, unknown: given.has("q") && !item ? given.get("q") : null, sides: asked.length === 2 ? asked : runs.map((_, at) => at).slice(0, 2) };
}

async function followAddress() {
  const { item, unknown, sides } = readAddress();
  if (!item) {
    const was = !questionView.hidden;
    questionView.hidden = true;
    overview.hidden = false;
    if (unknown) document.getElementById("shown").textContent = `There is no question ${unknown}.`;
    showRows();
    if (was) {
      scrollTo(0, scrolled);
      grid.focus({ preventScroll: true });
    }
    return;
  }
  if (!overview.hidden) scrolled = scrollY;
  at = Math.max(0, shown.indexOf(item));
  try {
    await showQuestion(item, sides);
  } catch (error) {
    questionView.replaceChildren(around(item), make("p", { class: "failure" }, `This question could not be unpacked: ${error.message}`));
  }
  overview.hidden = true;
  questionView.hidden = false;
  scrollTo(0, 0);
  questionView.focus({ preventScroll: true });
}

function step(by) {
  const next = shown[at + by];
  if (next) location.hash = linkTo(next);
}

function followKey(event) {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const typing = event.target.closest?.("input, select, textarea");
  if (event.key === "Escape") {
    if (!questionView.hidden) location.hash = "";
    else if (event.target === search) {
      search.value = "";
      refreshTable();
      grid.focus({ preventScroll: true });
    }
  } else if (event.key === "/" && !typing && questionView.hidden) {
    event.preventDefault();
    search.focus();
  } else if (event.target === search && (event.key === "ArrowDown" || event.key === "Enter")) {
    event.preventDefault();
    grid.focus({ preventScroll: true });
    bringIntoView();
  } else if (!questionView.hidden && !typing && !event.target.closest?.(".map")) {
    if (event.key === "ArrowLeft") step(-1);
    if (event.key === "ArrowRight") step(1);
  }
}
