import re
import shlex
from pathlib import Path

import pytest
from scripts import load_script

from multihop.__main__ import main
from multihop.experiments import experiment_names

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def maker():
    return load_script(DOCS / "make_experiments.py")


def test_every_experiment_has_its_command_price_and_differences(maker):
    page = maker.page()
    for name in experiment_names():
        section = page.partition(f"### {name}\n")[2].partition("\n##")[0]
        assert f"multihop reproduce {name} " in section
        assert "What differs here:\n\n- " in section
        assert re.search(rf"^\| \[{name}\]\(#{name}\) \| .* \| \d+ \| ([\d,]+|–) \| ([\d,]+|–) \|$", page, flags=re.M)


def test_every_command_of_the_page_is_one(maker, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = maker.page().replace(" \\\n", " ")
    commands = [line for line in re.findall(r"^multihop reproduce .*$", page, flags=re.M) if "--out" in line]
    assert len(commands) == len(experiment_names())
    for line in commands:
        arguments = shlex.split(line, comments=True)[1:]
        assert main([*arguments, "--dry-run"]) == 0, line
        assert "nothing is asked" in capsys.readouterr().out
