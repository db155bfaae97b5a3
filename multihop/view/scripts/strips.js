// The strip of all questions: pointed at, it names a question; a click or Enter opens it; arrows go from one to the next.

function wakeStrips() {
  for (const bar of document.querySelectorAll("[data-strip]")) wakeStrip(bar, page.strips[Number(bar.dataset.strip)]);
  for (const choice of document.querySelectorAll("[data-outcome]")) choice.addEventListener("click", () => showAlone(choice.dataset.outcome));
}

function wakeStrip(bar, strip) {
  const byPlace = new Map(items.map((item) => [item.places[strip.run], item]));
  const all = strip.segments.flatMap(({ words, places }) => places.map((place) => ({ words, item: byPlace.get(place) })));
  const hint = make("div", { class: "hint", hidden: true });
  const cursor = make("span", { class: "cursor", hidden: true });
  let place = 0;
  const point = (to) => {
    place = Math.min(all.length - 1, Math.max(0, to));
    const { words, item } = all[place];
    bar.setAttribute("aria-valuenow", place + 1);
    bar.setAttribute("aria-valuetext", `${words}: ${item.question}`);
    const answer = cell(strip.run, item, "answer");
    hint.replaceChildren(make("p", { class: "numbers" }, `${words} · ${item.id}`), make("p", {}, item.question), make("p", { class: "soft" }, answer || "no answer"));
    hint.hidden = cursor.hidden = false;
    const middle = (bar.clientWidth * (place + 0.5)) / all.length;
    cursor.style.left = `${middle}px`;
    hint.style.left = `${Math.min(Math.max(0, middle - hint.offsetWidth / 2), Math.max(0, bar.clientWidth - hint.offsetWidth))}px`;
  };
  const hide = () => (hint.hidden = cursor.hidden = true);
  const open = () => (location.hash = linkTo(all[place].item));
  const keys = { ArrowRight: () => place + 1, ArrowLeft: () => place - 1, Home: () => 0, End: () => all.length - 1 };
  complete(bar, { tabindex: "0", role: "slider", "aria-label": "Every question by its outcome; Enter opens it", "aria-valuemin": 1, "aria-valuemax": all.length, "aria-valuenow": 1, "aria-valuetext": `${all[0].words}: ${all[0].item.question}` }, [cursor, hint]);
  bar.addEventListener("pointermove", (event) => point(Math.floor((all.length * (event.clientX - bar.getBoundingClientRect().left)) / bar.clientWidth)));
  bar.addEventListener("pointerleave", hide);
  bar.addEventListener("focus", () => bar.matches(":focus-visible") && point(place));
  bar.addEventListener("blur", hide);
  bar.addEventListener("click", (event) => {
    point(Math.floor((all.length * (event.clientX - bar.getBoundingClientRect().left)) / bar.clientWidth));
    open();
  });
  bar.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "Enter") open();
    else if (event.key === "Escape") hide();
    else if (event.key in keys) point(keys[event.key]());
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
}

// The questions of one outcome alone, in the table.
function showAlone(outcome) {
  chosenOutcome.value = outcome;
  refreshTable();
  document.getElementById("questions").scrollIntoView();
  grid.focus({ preventScroll: true });
}
