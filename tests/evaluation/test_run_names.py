import copy

import pytest

from multihop.evaluation.comparison import run_names

HEADER = {
    "identity": {
        "program": {
            "name": "tor",
            "settings": {"k": 5, "widths": [4, 2], "budget": None},
            "prompts": {
                "read": {"instructions": "Read.", "fields": {"answer": "short"}, "demos": []},
                "review": {"instructions": "Review.", "fields": {}, "demos": []},
            },
        },
        "lm": {
            "read": {"model": "openai/a", "decoding": {"temperature": 0.0}},
            "review": {"model": "openai/a", "decoding": {"temperature": 0.0}},
        },
        "adapter": "ChatAdapter",
        "retriever": "bm25-0123456789abcdef",
    }
}


def changed(*path, to):
    header = copy.deepcopy(HEADER)
    *way, last = path
    place = header["identity"]
    for step in way:
        place = place[step]
    place[last] = to
    return header


@pytest.mark.parametrize(
    ("other", "names"),
    [
        (changed("program", "settings", "k", to=10), ("tor k=5", "tor k=10")),
        (changed("program", "settings", "widths", to=[8]), ("tor widths=4,2", "tor widths=8")),
        (
            changed("program", "settings", "budget", to={"calls": 9, "tokens": None}),
            ("tor budget=None", "tor budget=calls:9"),
        ),
        (changed("lm", "read", "model", to="openai/b"), ("tor read on openai/a", "tor read on openai/b")),
        (
            changed("lm", to={step: {"model": "local"} for step in ("read", "review")}),
            ("tor on openai/a", "tor on local"),
        ),
        (
            changed("lm", "read", "decoding", to={"temperature": 1.0}),
            ("tor read temperature=0.0", "tor read temperature=1.0"),
        ),
        (changed("adapter", to="JSONAdapter"), ("tor with ChatAdapter", "tor with JSONAdapter")),
        (changed("retriever", to="dense-77"), ("tor over bm25", "tor over dense")),
        (changed("retriever", to="bm25-fedcba98"), ("tor over bm25-012345", "tor over bm25-fedcba")),
        (
            changed("program", "prompts", "read", "demos", to=[{"question": "q"}]),
            ("tor without demonstrations", "tor with 1 demonstration"),
        ),
        (copy.deepcopy(HEADER), ("tor (a)", "tor (b)")),
    ],
)
def test_the_heads_say_what_differs(other, names):
    assert run_names([HEADER, other], ["runs/a", "runs/b"]) == names


def test_other_instructions_are_told_apart():
    a, b = run_names([HEADER, changed("program", "prompts", "read", "instructions", to="Read well.")], ["a", "b"])
    assert a.startswith("tor instructions ")
    assert a != b


def test_other_programs_differ_by_name_and_the_settings_that_both_have():
    other = changed("program", "settings", to={"k": 8, "turns": 3})
    other["identity"]["program"]["name"] = "ircot"
    assert run_names([HEADER, other], ["a", "b"]) == ("tor k=5", "ircot k=8")


def test_folders_of_one_name_are_given_whole():
    assert run_names([HEADER, HEADER], ["x/run", "y/run"]) == ("tor (x/run)", "tor (y/run)")
