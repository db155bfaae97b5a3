"""Writes docs/llms.txt: what an LM must know to write code with this library: ideas, ten lines, commands, pages.

python docs/make_llms.py
"""

import re
from pathlib import Path

DOCS = Path(__file__).resolve().parent
FILE = DOCS / "llms.txt"
HEAD = """# multihop

> A Python library of multi-hop question-answering programs written in DSPy: declare the steps, compose them into the
> method of a paper, compile the program against dev questions, save it as one JSON file, and load it in an
> application. Python 3.11 or later.

Programs find and read the passages that an answer takes, where no single passage holds it. Any LM that DSPy reaches
drives them, also a server of one's own (`server/NAME@http://HOST:PORT/v1`), or `local`, which is built in and needs
no key.
"""
IDEAS = """\
1. **Passage, Hit, Retriever.** `Passage(id, title, text)` and `Hit(passage, score)` are named tuples. A retriever is
   anything with `search(queries: Sequence[str], k: int) -> list[list[Hit]]`; a function `search(query, k)` that
   returns texts will do.
2. **An index is a folder that is written whole.** `multihop index CORPUS --to FOLDER`, `open_index(FOLDER)`. It
   changes by being written anew beside the old one; who serves it notices.
3. **Program.** `class Method(Program)`: settings are annotated fields with docstrings, `set_up` makes the predictors,
   `async def aforward(self, question)` is the method. Nothing about a question is stored on `self`.
4. **One signature a role.** Signature classes in `multihop.signatures` hold the words; `program.read.signature = ...`
   changes a prompt.
5. **Every program returns the same Prediction:** `answer`, `passages` best first, `evidence`, `trajectory`, `cost`,
   `over_budget`.
6. **Two doors.** In a method, `await self.find(query, k)` retrieves and `await self.ask(self.review, question=...,
   path=...)` calls an LM: budget, cache, a further try where the completion cannot be read, count and record are
   behind it.
7. **Budget.** `Budget(calls=, tokens=, seconds=, usd=)` a question. `await self.attempt(...)` gives None once nothing
   is left, and the method answers with what it has.
8. **Branches.** Siblings of a search run at once, and only the branch that led to the answer is what an optimizer
   learns from. Concurrency 1 and 64 build the same tree.
9. **Search is pure.** Trees and MCTS in `multihop.programs.search` are functions over functions, and know no prompt.
10. **Engines.** `scripted(...)` answers what a test says, `local()` without a key; every other LM is a `dspy.LM`.
11. **Artefact.** A compiled program is one JSON file without code, keys or addresses. `save(program, file)`,
    `load(file)`; loading runs nothing from it and contacts nobody.
12. **A run is a journal.** `evaluate` writes a line for each finished question. The same command goes on; a changed
    program, LM, retriever or question set refuses to mix. An error is an error, never a 0.
13. **A variant is a DSPy optimizer with its settings.** A compile measures variants on the same dev questions, with
    paired intervals, resumable and bounded by `--max-calls`. A program is a `dspy.Module`: any optimizer takes it.
14. **A preset is where a paper's values live** (`--preset tor/table-1`); a table of a paper is a file of rows that
    name presets (`multihop reproduce NAME`).
"""


def page() -> str:
    """The whole text."""
    from multihop.cli.app import COMMANDS, command_line

    index = (DOCS / "index.md").read_text(encoding="utf-8")
    lines = re.search(r"^```python\n.*?^```$", index, flags=re.M | re.S)
    guide = (DOCS.parent / "mkdocs.yml").read_text(encoding="utf-8").partition("  - Guide:\n")[2].partition("\n  - ")[0]
    assert lines is not None
    app = command_line([])
    commands = [f"- `multihop {name}`: {app[name].help}" for name in COMMANDS]
    pages = [f"- [{title}]({place})" for title, place in re.findall(r"- (.*): (\S+\.md)", guide)]
    parts = {
        "Ten lines": lines[0],
        "The ideas": IDEAS.strip(),
        "The commands": "\n".join(commands) + "\n\n`multihop COMMAND --help` has every option with examples.",
        "Guides": "\n".join(pages) + "\n- [All pages](index.md)",
    }
    return HEAD + "".join(f"\n## {title}\n\n{text}\n" for title, text in parts.items())


if __name__ == "__main__":
    FILE.write_text(page(), encoding="utf-8")
