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
