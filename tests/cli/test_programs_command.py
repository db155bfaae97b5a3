"""`programs`: the list of all programs, and what is told of one: settings, presets, the papers' values."""

from pathlib import Path

import pytest
import ujson
from golden import check_picture
from scripts import load_script

from multihop import PROGRAMS
from multihop.cli.commands import programs as program_list
from multihop.cli.commands.programs import (
    OURS,
    calls_in_words,
    describe_program,
    explain_program,
    list_programs,
    with_defaults,
)
from multihop.programs import OneStep
from multihop.runtime import settings_of

SCRIPT = Path(__file__).parents[2] / "docs" / "make_programs.py"


def test_the_file_of_the_list_says_what_the_classes_say():
    assert OURS.read_text(encoding="utf-8") == load_script(SCRIPT).listed(), "docs/make_programs.py writes it anew"


def test_the_methods_of_the_papers_come_first_and_what_retrieves_once_or_never_last(run):
    code, out, _ = run("programs", "--json")
    names = [row["name"] for row in ujson.loads(out)]
    assert (code, names[:6]) == (0, ["tor", "mzqa", "resp", "efficientrag", "ranked-rag", "cor"])
    assert names.index("lats") < names.index("ircot") < names.index("one-step") < names.index("direct")
    assert {row["name"]: row for row in ujson.loads(out)}["one-step"] == {
        "name": "one-step",
        "what": "The answer from the passages that the question itself retrieves.",
        "paper": "retrieve-and-read (Lewis et al., 2020)",
        "calls": "1",
        "most_calls": 1,
        "retrieves": True,
        "settings": {"k": 5, "reads": True},
    }
    shown = run("programs")[1]
    assert [name for name in names if name not in shown] == []


def test_programs_of_installed_packages_come_first(monkeypatch):
    class Point:
        name = "mine"

    monkeypatch.setattr(program_list, "entry_points", lambda group: [Point] if group == "multihop.programs" else [])
    monkeypatch.setattr("multihop.programs.program_named", lambda name: {"mine": OneStep}[name])
    assert [row["name"] for row in list_programs()][:3] == ["mine", "tor", "mzqa"]


def test_calls_are_said_in_words_with_the_most_there_can_be():
    rows = {row["name"]: row for row in list_programs()}
    assert calls_in_words(rows["resp"]) == "3 to 4 a round, 1 to read; at most 12"
    assert calls_in_words(rows["recomp"]) == "2"
    assert calls_in_words({**rows["resp"], "most_calls": None}) == "3 to 4 a round, 1 to read"


def test_a_program_with_a_setting_that_must_be_given_is_described_without_its_most_calls():
    class Needing(OneStep):
        language: str

    assert with_defaults(Needing) is None
    described = describe_program("needing", Needing)
    assert described["most_calls"] is None
    assert [*described["settings"]] == ["language", "k", "reads"]


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_setting_is_explained_with_its_default(name):
    explained = explain_program(name, PROGRAMS[name])
    settings = {**explained["explained"], **explained["shared"]}
    assert {each: setting["default"] for each, setting in settings.items()} == {
        each: setting.default for each, setting in settings_of(PROGRAMS[name]).items()
    }
    assert [each for each, setting in settings.items() if not setting["what"].endswith(".")] == []
    assert list(explained["shared"]) == ["budget", "concurrency", "retries", "lms", "cloned"]
    assert explained["python"] == f"multihop.{PROGRAMS[name].__name__}"
    assert explained["steps"]


def test_the_papers_values_are_told_and_those_of_a_program_of_another_paper_are_not():
    explained = explain_program("tor", PROGRAMS["tor"])["explained"]
    assert explained["depth"]["paper"] == {"value": 3, "place": "section 4.4"}
    assert explained["order"]["default"] == "by-level"
    assert explained["order"]["paper"] == {"value": "depth-first", "place": "section 3.2"}
    assert explain_program("mzqa", PROGRAMS["mzqa"])["explained"]["exploration"]["paper"] is None
    assert explain_program("rap", PROGRAMS["rap"])["explained"]["iterations"]["paper"] is None  # RAP is another paper


def test_a_program_is_explained_as_json_with_the_presets_that_have_it(run):
    (preset,) = ujson.loads(run("programs", "resp", "--json")[1])["presets"]
    assert preset["names"][:2] == ["resp/paper", "resp/table-1"]
    assert (preset["paper"], preset["shots"]) == ("ReSP (Jiang et al., 2024)", 0)
    assert preset["lm_options"] == {"max_tokens": 200}
    assert preset["settings"]["k"] == {"value": 5, "on": {}, "place": "section 4.2"}
    of_mzqa = explain_program("mzqa", PROGRAMS["mzqa"])["presets"][0]["settings"]
    assert of_mzqa["k"] == {"value": 6, "on": {"2wikimultihopqa": 8}, "place": "table 4"}
    explained = ujson.loads(run("programs", "one-step", "--json")[1])
    assert explained["explained"]["k"] == {"what": "Passages to retrieve.", "default": 5, "paper": None}
    assert explain_program("ranked-rag", PROGRAMS["ranked-rag"])["presets"] == []


def test_a_class_of_ones_own_is_explained(run, tmp_path, monkeypatch):
    (tmp_path / "mine_explained.py").write_text(
        "from multihop.programs import OneStep\n\n\nclass Mine(OneStep):\n    '''The answer, mine.'''\n"
    )
    monkeypatch.chdir(tmp_path)
    code, out, _ = run("programs", "mine_explained:Mine")
    assert code == 0
    assert out.startswith("mine_explained:Mine  The answer, mine.\n")
    assert "in Python  mine_explained.Mine" in out


def test_a_page_looks_as_its_picture(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    code, out, _ = run("programs", "tor")
    assert code == 0
    assert max(len(line.rstrip()) for line in out.splitlines()) <= 80
    check_picture("programs-tor", out)
