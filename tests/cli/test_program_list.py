from pathlib import Path

import ujson
from scripts import load_script

from multihop.cli.commands import programs as program_list
from multihop.cli.commands.programs import OURS, calls_in_words, describe_program, list_programs, with_defaults
from multihop.programs import OneStep

SCRIPT = Path(__file__).parents[2] / "docs" / "make_programs.py"


def test_the_file_says_what_the_classes_say():
    module = load_script(SCRIPT)
    assert OURS.read_text(encoding="utf-8") == module.listed(), "python docs/make_programs.py writes it anew"


def test_a_program_is_described():
    assert describe_program("one-step", OneStep) == {
        "name": "one-step",
        "what": "The answer from the passages that the question itself retrieves.",
        "paper": "retrieve-and-read (Lewis et al., 2020)",
        "calls": "1",
        "most_calls": 1,
        "retrieves": True,
        "settings": {"k": 5, "reads": True},
    }


def test_programs_of_installed_packages_come_first(monkeypatch):
    class Point:
        name = "mine"

    monkeypatch.setattr(program_list, "entry_points", lambda group: [Point] if group == "multihop.programs" else [])
    monkeypatch.setattr("multihop.programs.program_named", lambda name: {"mine": OneStep}[name])
    names = [row["name"] for row in list_programs().programs]
    assert names[:3] == ["mine", "tor", "mzqa"]


def test_the_methods_of_the_papers_come_first_and_what_retrieves_once_or_never_last(run):
    code, out, _ = run("programs", "--json")
    assert code == 0
    names = [row["name"] for row in ujson.loads(out)]
    assert names[:6] == ["tor", "mzqa", "resp", "efficientrag", "ranked-rag", "cor"]
    assert names.index("lats") < names.index("ircot") < names.index("one-step") < names.index("direct")
    shown = run("programs")[1]
    assert [name for name in (*names, "k=5") if name not in shown] == []


def test_calls_are_said_in_words_with_the_most_there_can_be():
    rows = {row["name"]: row for row in list_programs().programs}
    assert calls_in_words(rows["resp"]) == "3 to 4 a round, 1 to read; at most 12"
    assert calls_in_words(rows["recomp"]) == "2"
    assert calls_in_words({**rows["resp"], "most_calls": None}) == "3 to 4 a round, 1 to read"


def test_a_program_with_a_setting_that_must_be_given_is_described_without_its_most_calls():
    class Needing(OneStep):
        def __init__(self, retriever, *, language: str, **settings):
            super().__init__(retriever, **settings)

    assert with_defaults(Needing) is None
    described = describe_program("needing", Needing)
    assert described["most_calls"] is None
    assert [*described["settings"]] == ["language", "k", "reads"]
