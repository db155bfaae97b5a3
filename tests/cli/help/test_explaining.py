import pytest
import ujson
from golden import check_picture

from multihop import PROGRAMS
from multihop.cli.help.explaining import explain_program
from multihop.experiments import experiment_names, open_experiment
from multihop.programs import OneStep
from multihop.runtime import settings_of
from multihop.runtime.program.settings import check_setting


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


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_value_of_a_paper_is_one_that_the_setting_takes(name):
    valid = settings_of(PROGRAMS[name])
    for setting, (value, place) in vars(PROGRAMS[name]).get("in_paper", {}).items():
        assert check_setting(name, setting, value, valid) == value
        assert place


def test_the_papers_values_are_told_and_those_of_a_class_below_are_not_its_own():
    depth = explain_program("tor", PROGRAMS["tor"])["explained"]["depth"]
    assert depth["paper"] == {"value": 3, "place": "section 4.4"}
    order = explain_program("tor", PROGRAMS["tor"])["explained"]["order"]
    assert (order["default"], order["paper"]) == ("by-level", {"value": "depth-first", "place": "section 3.2"})
    assert explain_program("mzqa", PROGRAMS["mzqa"])["explained"]["exploration"]["paper"] is None
    assert explain_program("rap", PROGRAMS["rap"])["explained"]["iterations"]["paper"] is None  # RAP is another paper


def test_the_rows_of_the_papers_main_tables_are_set_as_the_programs_say():
    rows = [row for name in experiment_names() for row in open_experiment(name).rows if row.name == "ToR"]
    assert rows
    for row in rows:
        values = {setting: value for setting, (value, _) in PROGRAMS["tor"].in_paper.items()}
        assert {
            name: tuple(value) if isinstance(value, list) else value for name, value in row.settings.items()
        }.items() <= values.items()


def test_a_page_explains_a_program(run):
    code, out, _ = run("programs", "resp")
    assert code == 0
    page = " ".join(out.replace("│", " ").split())
    assert page.startswith("resp The answer read from two memories, filled round by round")
    assert "in Python multihop.RetrieveSummarizePlan" in page
    assert "LM steps summarize, answer, judge, plan, read" in page
    assert "Differs from the paper: its text has the sub-question answered" in page
    assert "turns Retrievals at most. [default: 3; as in the paper (section 4.2)]" in page
    assert page.index("output_tokens") < page.index("Settings of every program") < page.index("retries")


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


@pytest.mark.parametrize("width", [80, 100, 160])
def test_the_page_looks_as_its_picture(width, run, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(width))
    code, out, _ = run("programs", "tor")
    assert code == 0
    assert max(len(line.rstrip()) for line in out.splitlines()) <= width
    check_picture(f"programs-tor-{width}", out)
