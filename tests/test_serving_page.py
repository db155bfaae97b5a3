"""The limits in docs/serving.md are those of the command; the page's blocks are run by tests/test_pages.py."""

import re
from pathlib import Path

from multihop.__main__ import main

PAGE = (Path(__file__).parents[1] / "docs" / "serving.md").read_text()


def test_the_limits_are_those_of_the_command(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    assert main(["serve", "--help"]) == 0
    said = capsys.readouterr().out
    shown = re.findall(r"`(--[a-z-]+)(?: ([\d.]+))?`", PAGE)
    assert len(shown) >= 8
    for option, default in shown:
        assert option in said
        if default:
            assert re.search(rf"{option}\b[^\[]*.*\[default: {default}(\.0)?\]", said), option
