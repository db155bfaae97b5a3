import re

import pytest
from written_runs import rows, write_run

from multihop import InputError
from multihop.evaluation.journal import read_header
from multihop.view import write_run_page
from multihop.view.folders import runs_in
from multihop.view.runs.prompt_changes import describe_changes


def prompt(instructions, *demos):
    return {"instructions": instructions, "fields": {}, "demos": list(demos)}


@pytest.fixture
def compiled(tmp_path):
    """A saved program with the runs of its variants beside it."""
    shown = {"question": "Who? <b>", "answer": "Ada"}
    variants = {
        "zero-shot": {"read": prompt("Give a short answer.", {"question": "Old?"}), "judge": prompt("Judge.")},
        "labeled-1": {"read": prompt("Give one answer.", shown), "judge": prompt("Judge.")},
        "instructions": {"read": prompt("Give a short answer.", {"question": "Old?"}), "judge": prompt("Judge.")},
    }
    for name, prompts in variants.items():
        write_run(tmp_path / "resp.json.work" / "dev" / name, rows()[:2], prompts=prompts)
    (tmp_path / "resp.json").write_text("{}")
    return tmp_path / "resp.json"


def test_a_compile_is_its_variants_the_program_as_it_was_first(compiled):
    names = ["zero-shot", "instructions", "labeled-1"]
    assert [run.name for run in runs_in([compiled])] == names
    assert [run.name for run in runs_in([f"{compiled}.work"])] == names
    with pytest.raises(InputError, match=r"table\.csv is a file; give the folder of a run, or a program with its"):
        (compiled.parent / "table.csv").touch()
        runs_in([compiled.parent / "table.csv"])


def test_what_a_variant_says_otherwise_is_told_word_by_word(compiled):
    first, same, other = map(read_header, runs_in([compiled]))
    assert describe_changes(first, same) == []
    assert describe_changes(first, other) == [
        {
            "step": "read",
            "instructions": [("same", "Give "), ("removed", "a short"), ("added", "one"), ("same", " answer.")],
            "instructions_before": "Give a short answer.",
            "instructions_after": "Give one answer.",
            "kept": 0,
            "added": [[("question", "Who? <b>"), ("answer", "Ada")]],
            "removed": [[("question", "Old?")]],
        }
    ]


def test_another_program_s_prompts_are_not_compared(compiled, tmp_path):
    other = write_run(tmp_path / "other", rows()[:1], program="resp", prompts={"read": prompt("Read.")})
    assert describe_changes(read_header(runs_in([compiled])[0]), read_header(other)) == []


def test_the_page_of_a_compile_shows_what_changed(compiled, tmp_path):
    page = write_run_page([compiled], tmp_path / "page.html").read_text()
    assert re.search(r'<p class="under">tor \(zero-shot\), tor \(instructions\), tor \(labeled-1\)\s*</p>', page)
    sides = re.findall(r'<p class="kind">(tor [^<]+)</p>\s*<p class="prose change">(.*?)</p>', page)
    assert sides == [
        ("tor (zero-shot)", "Give <del>a short</del> answer."),
        ("tor (labeled-1)", "Give <ins>one</ins> answer."),
    ]
    assert page.count('<details class="changes" open>') == 1
    assert "Who? &lt;b&gt;" in page
