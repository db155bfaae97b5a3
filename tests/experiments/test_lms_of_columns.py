"""Tables whose columns are of several LMs: each is filled by its own, and another one is shown beside them."""

import pytest

from multihop import InputError, MismatchError, scripted
from multihop.__main__ import main
from multihop.experiments import reproduce
from multihop.experiments.rendered_table import label_of

COLUMNS = """
title = "Two LMs"
paper = "mine"
sets.small = { title = "Small", questions = "questions.jsonl", corpus = "corpus.jsonl" }
columns = [
  { set = "small", metric = "em", lm = "GPT-3.5-Turbo" },
  { set = "small", metric = "em", lm = "GPT-4-Turbo" },
]
rows = [
  { name = "direct", program = "direct", published = [10.0, 20.0] },
  { name = "cot", program = "cot", published = [30.0, 40.0] },
]
"""
ROWS = """
title = "A row of another LM"
paper = "mine"
lm = "gpt-3.5-turbo-1106"
sets.small = { title = "Small", questions = "questions.jsonl" }
columns = [{ set = "small", metric = "em" }]

[[rows]]
name = "direct"
program = "direct"
published = [10.0]

[[rows]]
name = "direct (GPT-4)"
program = "direct"
lm = "gpt-4-1106-preview"
step_lms = { answer = "gpt-4-1106-preview" }
published = [20.0]
"""


@pytest.fixture(autouse=True)
def here(write_study, tmp_path):
    asked = [{"id": f"q{n}", "question": f"Is it {n}?", "answers": ["yes"]} for n in range(4)]
    write_study(COLUMNS, asked)
    (tmp_path / "rows.toml").write_text(ROWS)


def says(model, right):
    """An LM under a name of its own that is right about so many of the four questions."""

    def answer(prompt):
        return {"reasoning": "so", "answer": "yes" if int(prompt.inputs["question"][6:-1]) < right else "no"}

    lm = scripted(answer)
    lm.model = model
    return lm


def calls(lm):
    return len(lm.engine.prompts)


def figures(table):
    """Of each entry its label, and of its one figure what is published, ours, and the difference."""
    cells = [(label_of(row), *row["cells"]) for row in table["rows"]]
    return [(label, cell["published"], cell["ours"], cell["difference"]) for label, cell in cells]


def test_each_column_is_filled_by_its_own_lm(tmp_path):
    small, large = says("openai/gpt-3.5-turbo", 1), says("openai/gpt-4-1106-preview", 3)
    table = reproduce("mine.toml", out="out", lms={"GPT-3.5-Turbo": small, "GPT-4-Turbo": large})
    assert figures(table) == [
        ("direct, GPT-3.5-Turbo", 10.0, 25.0, 15.0),
        ("direct, GPT-4-Turbo", 20.0, 75.0, 55.0),
        ("cot, GPT-3.5-Turbo", 30.0, 25.0, -5.0),
        ("cot, GPT-4-Turbo", 40.0, 75.0, 35.0),
    ]
    assert [row["lms"] for row in table["rows"]] == [["openai/gpt-3.5-turbo"], ["openai/gpt-4-1106-preview"]] * 2
    assert calls(small) == calls(large) == 8
    assert not any("answered by" in each or "no LM" in each for each in table["caveats"])
    folders = [row["folder"] for row in table["rows"]]
    assert folders[:2] == ["direct/gpt-3-5-turbo/small", "direct/gpt-4-turbo/small"]
    assert "| direct, GPT-4-Turbo | EM | 20.0 | 75.0 |" in (tmp_path / "out" / "table.md").read_text()


def test_an_lm_for_all_rows_fills_the_columns_that_are_its_own():
    table = reproduce("mine.toml", out="out", lm=says("azure/gpt-4-1106-preview", 3), rows=["direct"])
    assert figures(table)[:2] == [
        ("direct, GPT-3.5-Turbo", 10.0, None, None),
        ("direct, GPT-4-Turbo", 20.0, 75.0, 55.0),
    ]
    assert table["caveats"] == [
        "no LM is given for GPT-3.5-Turbo, so that those figures stand alone",
        "1 of 2 runs are begun; the others show '–'",
    ]


def test_lms_may_come_one_after_the_other_and_one_that_is_none_of_them_is_subtracted_from_neither():
    other = says("openai/gpt-4o-mini", 2)
    table = reproduce("mine.toml", out="out", lm=other)
    assert figures(table)[:3] == [
        ("direct, GPT-3.5-Turbo", 10.0, None, None),
        ("direct, GPT-4-Turbo", 20.0, None, None),
        ("direct, openai/gpt-4o-mini", None, 50.0, None),
    ]
    assert calls(other) == 8
    assert table["caveats"] == [
        "answered by openai/gpt-4o-mini, shown beside GPT-3.5-Turbo and GPT-4-Turbo and not compared with them"
    ]
    reproduce("mine.toml", out="out", lms={"GPT-4-Turbo": says("openai/gpt-4-1106-preview", 3)})
    small, asked_before = says("openai/gpt-3.5-turbo", 1), says("openai/gpt-4-1106-preview", 3)
    table = reproduce("mine.toml", out="out", lms={"GPT-3.5-Turbo": small, "GPT-4-Turbo": asked_before})
    assert calls(asked_before) == 0
    assert [ours for _, _, ours, _ in figures(table)] == [25.0, 75.0, 50.0] * 2
    said = r"out/direct/gpt-4-turbo/small was made with lm.answer.model = \"openai/gpt-4"
    with pytest.raises(MismatchError, match=said):
        reproduce("mine.toml", out="out", lms={"GPT-4-Turbo": small})


def test_a_row_of_another_lm_is_answered_by_that_one_alone():
    small, large = says("openai/gpt-3.5-turbo-1106", 1), says("openai/gpt-4-1106-preview", 3)
    table = reproduce("rows.toml", out="out", lm=small)
    assert figures(table) == [("direct", 10.0, 25.0, 15.0), ("direct (GPT-4)", 20.0, None, None)]
    table = reproduce("rows.toml", out="out", lm=small, lms={"gpt-4-1106-preview": large})
    assert figures(table) == [("direct", 10.0, 25.0, 15.0), ("direct (GPT-4)", 20.0, 75.0, 55.0)]
    assert table["caveats"] == []
    assert calls(large) == 4


NO_LM = "no LM is given for {}; give one for all rows, or one by name: {}."


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("mine.toml", {"lms": {"GPT-5": "local"}}, "unknown LM of mine 'GPT-5'. Valid: GPT-3.5-Turbo, GPT-4-Turbo"),
        ("mine.toml", {}, NO_LM.format("any row of mine", "GPT-3.5-Turbo, GPT-4-Turbo")),
        (
            "rows.toml",
            {"lm": says("openai/gpt-3.5-turbo-1106", 1), "rows": ["direct (GPT-4)"]},
            NO_LM.format("row 'direct (GPT-4)'", "gpt-4-1106-preview"),
        ),
        (
            "mine.toml",
            {"lm": "openai/gpt-5", "lms": {"GPT-3.5-Turbo": "local", "GPT-4-Turbo": "local"}},
            "openai/gpt-5 has no row of mine to answer: LMs are given for all by name.",
        ),
    ],
)
def test_a_column_without_an_lm_is_one_sentence(name, options, said):
    with pytest.raises(InputError) as raised:
        reproduce(name, out="out", **options)
    assert str(raised.value) == said


def test_the_command_takes_lms_by_name(capsys, tiny_encoder):
    small, large = "GPT-3.5-Turbo=local", "GPT-4-Turbo=local"
    assert main(["reproduce", "mine.toml", "--lm", small, "--lm", large, "--dry-run"]) == 0
    shown = capsys.readouterr().out
    assert all(f"{row}, {lm}" in shown for row in ("direct", "cot") for lm in ("GPT-3.5-Turbo", "GPT-4-Turbo"))
    assert "4 runs, 16 questions, at most 16 LM calls" in " ".join(shown.split())
    assert main(["reproduce", "mine.toml", "--lm", small, "--rows", "direct"]) == 0
    assert "(built in), not GPT-3.5-Turbo" in " ".join(capsys.readouterr().out.split())
    assert main(["reproduce", "mine.toml", "--lm", "local", "--lm", "m"]) == 2
    said = "multihop: --lm is given for all twice, local and m; give one by name, as NAME=m.\n"
    assert capsys.readouterr().err == said
