import re
import shlex
from pathlib import Path

import pytest
from scripts import load_script

from multihop.__main__ import main
from multihop.experiments import experiment_names

pytestmark = pytest.mark.seconds  # it opens and prices every table
DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def page():
    return load_script(DOCS / "make_experiments.py").page()


def test_every_experiment_has_its_command_price_and_differences(page):
    for name in experiment_names():
        section = page.partition(f"### {name}\n")[2].partition("\n##")[0]
        assert f"multihop reproduce {name} " in section
        assert "What differs here:\n\n- " in section
        assert re.search(rf"^\| \[{name}\]\(#{name}\) \| .* \| \d+ \| ([\d,]+|–) \| ([\d,]+|–) \|$", page, flags=re.M)


def test_every_command_of_the_page_is_one(page, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    commands = re.findall(r"^multihop (reproduce .*--out .*)$", page.replace(" \\\n", " "), flags=re.M)
    assert len(commands) == len(experiment_names())
    of_each_paper = {line.split()[1].partition("-")[0]: line for line in commands}
    for line in of_each_paper.values():
        assert main([*shlex.split(line, comments=True), "--dry-run"]) == 0, line
        assert "nothing is asked" in capsys.readouterr().out
