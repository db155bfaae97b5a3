import pytest
import ujson
from golden import check_picture

from multihop import PROGRAMS
from multihop.cli.commands.programs import explain_program
from multihop.programs import OneStep
from multihop.runtime import settings_of


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


def test_the_presets_that_have_a_program_are_told():
    (preset,) = explain_program("resp", PROGRAMS["resp"])["presets"]
    assert preset["names"][:2] == ["resp/paper", "resp/table-1"]
    assert (preset["paper"], preset["shots"]) == ("ReSP (Jiang et al., 2024)", 0)
    assert preset["lm_options"] == {"max_tokens": 200}
    assert preset["settings"]["k"] == {"value": 5, "on": {}, "place": "section 4.2"}
    of_mzqa = explain_program("mzqa", PROGRAMS["mzqa"])["presets"][0]["settings"]
    assert of_mzqa["k"] == {"value": 6, "on": {"2wikimultihopqa": 8}, "place": "table 4"}
    assert of_mzqa["exploration"] == {"value": 1.0, "on": {}, "place": None}
    assert explain_program("ranked-rag", PROGRAMS["ranked-rag"])["presets"] == []


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        (
            "lats",
            [
                "mzqa/paper MZQA (Lee et al., 2024), table-1, table-2, ",
                "k=1 (not given), candidates=5 (appendix C),",
                "temperature=0.1, top_p=1.0, 5 demonstrations a step.",
                "mzqa/table-6 MZQA (Lee et al., 2024), table-6: ",
            ],
        ),
        (
            "resp",
            [
                "resp The answer read from two memories, filled round by round",
                "LM steps summarize, answer, judge, plan, read",
                "in Python multihop.RetrieveSummarizePlan",
                "Differs from the paper: its text has the sub-question answered",
                "output_tokens",
                "turns Retrievals at most. [default: 3; as in the paper (section 4.2)]",
                "Settings of every program",
                "retries",
            ],
        ),
    ],
)
def test_a_page_explains_a_program_and_its_presets_with_the_place_of_every_value(name, parts, run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "160")
    code, out, _ = run("programs", name)
    page = " ".join(out.replace("│", " ").split())
    assert code == 0
    assert [part for part in parts if part not in page] == []
    assert sorted(parts, key=page.index) == parts


def test_a_program_is_explained_as_json(run):
    code, out, _ = run("programs", "one-step", "--json")
    assert code == 0
    explained = ujson.loads(out)
    assert explained["explained"]["k"] == {"what": "Passages to retrieve.", "default": 5, "paper": None}
    assert explained == ujson.loads(ujson.dumps(explain_program("one-step", OneStep)))


def test_a_class_of_ones_own_is_explained(run, tmp_path, monkeypatch):
    (tmp_path / "mine_explained.py").write_text(
        "from multihop.programs import OneStep\n\n\nclass Mine(OneStep):\n    '''The answer, mine.'''\n"
    )
    monkeypatch.chdir(tmp_path)
    code, out, _ = run("programs", "mine_explained:Mine")
    assert code == 0
    assert out.startswith("mine_explained:Mine  The answer, mine.\n")
    assert "in Python  mine_explained.Mine" in out


def test_the_page_looks_as_its_picture(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    code, out, _ = run("programs", "tor")
    assert code == 0
    assert max(len(line.rstrip()) for line in out.splitlines()) <= 80
    check_picture("programs-tor", out)
