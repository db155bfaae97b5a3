"""README and the guide as a reader follows them: every block and command runs, and prints what the page shows."""

from pathlib import Path

import pytest
from page_blocks import blocks, turns
from page_reader import PageReader
from page_stand_ins import stand_ins

ROOT = Path(__file__).parents[1]
GUIDE = [f"docs/guide/{path.name}" for path in sorted((ROOT / "docs" / "guide").glob("*.md"))]
TRAINS = {"docs/guide/compile.md": False, "docs/guide/own-model.md": True}
"""Pages that train a model, and whether they say nothing without."""
TOPICS = [f"docs/{name}.md" for name in ("index", "errors", "files", "serving", "data", "little")]


def followed():
    """Each page that is followed, and which of them says more where a model can be trained."""
    for name in ["README.md", *GUIDE, *TOPICS]:
        yield pytest.param(name, marks=[pytest.mark.extra("tune", needed=TRAINS[name])] if name in TRAINS else [])


@pytest.mark.seconds
@pytest.mark.parametrize("name", list(followed()))
def test_a_page_does_what_it_says(name, tmp_path, tiny_encoder_folder, request):
    page = (ROOT / name).read_text()
    tiny = tiny_encoder_folder
    with (
        stand_ins(tmp_path, tiny, trains=name in TRAINS) as provider,
        PageReader(name, provider.url, tiny) as reader,
    ):
        differences = [each for block in blocks(page) for each in reader.read(block)]
    if request.config.getoption("fill_pages"):
        for start, shown, printed in reversed(differences):
            lines = "\n".join(line.rstrip() for line in printed.strip("\n").splitlines())
            page = f"{page[:start]}{lines}\n{page[start + len(shown) :]}"
        (ROOT / name).write_text(page)
    for _, shown, printed in differences:
        assert printed == shown


@pytest.mark.parametrize("name", ["README.md", *GUIDE])
def test_what_a_page_shows_was_said_by_an_lm_that_is_there(name):
    consoles = [block for block in blocks((ROOT / name).read_text()) if block.language == "console"]
    shown = [turn for block in consoles for turn in turns(block.text)]
    assert [command for command, *_ in shown if "--lm openai/" in command] == []
