"""Calls as a type checker, and so an editor, reads them: right settings pass, wrong ones are pointed at."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from multihop import PROGRAMS
from multihop.runtime import settings_of

pytestmark = pytest.mark.seconds
ROOT = Path(__file__).parents[2]

RIGHT = """
import multihop
from multihop import BM25, Budget, Passage
from multihop.programs import ReAct
from multihop.retrieval import RetrieverLike
from dataclasses import field

bm25 = BM25.build([Passage("p", "t", "x")])

async def search(query: str, k: int) -> list[str]:
    return [query]

class ByFields(multihop.Program):
    retriever: RetrieverLike = field(kw_only=False)
    hops: int = 2

class Plain(multihop.Program):
    hops: int = 2

Plain(bm25, hops=3)
ByFields(bm25, hops=3, retries=0)
ReAct(retriever=bm25, turns=2, lms={"act": "openai/gpt-4.1"}, budget=Budget(calls=3))
multihop.OneStep(search, k=2)
multihop.OneStep(lambda query: [query])
multihop.MZQA()
multihop.evaluate(ReAct(bm25), [], out="run", limit=3).summary["n"]
"""
WRONG = {
    'multihop.TreeOfReviews(bm25, depth="two")': '"depth" to "TreeOfReviews" has incompatible type "str"',
    "multihop.TreeOfReviews(bm25, k=3)": 'Unexpected keyword argument "k" for "TreeOfReviews"',
    "multihop.MZQA(bm25, budget=3)": '"budget" to "MZQA" has incompatible type "int"',
    'multihop.ReAct(bm25, turns="2")': '"turns" to "ReAct" has incompatible type "str"',
    'multihop.LanguageAgentTreeSearch(bm25, reuse="all")': '"reuse" to "LanguageAgentTreeSearch" has incompatible type',
    "multihop.OneStep(3)": 'Argument 1 to "OneStep" has incompatible type "int"',
    "multihop.Direct(retriever=bm25)": 'Unexpected keyword argument "retriever" for "Direct"',
    "ByFields(bm25, retries=None)": '"retries" to "ByFields" has incompatible type "None"',
    'multihop.evaluate(ReAct(bm25), [], limit="3")': '"limit" to "evaluate" has incompatible type "str"',
    "multihop.evaluate(ReAct(bm25), [], limits=3)": 'Unexpected keyword argument "limits" for "evaluate"',
    "ByFields(bm25, hops='two')": '"hops" to "ByFields" has incompatible type "str"',
    "ByFields(bm25, hop=2)": 'Unexpected keyword argument "hop" for "ByFields"',
    "ByFields(hops=2)": 'Missing positional argument "retriever" in call to "ByFields"',
    "multihop.TreeOfReview": 'Module has no attribute "TreeOfReview"',
}


def test_right_calls_pass_with_every_setting_of_every_program_and_wrong_ones_are_pointed_at(tmp_path):
    """By mypy, in strict mode, of a file with right calls and then wrong ones."""
    if importlib.util.find_spec("mypy") is None:
        pytest.skip("mypy is not installed")
    (tmp_path / "multihop").symlink_to(ROOT / "multihop")
    (tmp_path / "mypy.ini").write_text(
        "[mypy]\nstrict = true\nfollow_imports = silent\nignore_missing_imports = true\n"
    )
    every = [
        f"multihop.{program.__name__}("
        + ", ".join(f"{name}={setting.default!r}" for name, setting in settings_of(program).items())
        + (", retriever=bm25)" if program.retrieves else ")")
        for program in PROGRAMS.values()
    ]
    right = [*RIGHT.splitlines(), *every]
    (tmp_path / "calls.py").write_text("\n".join([*right, *WRONG, ""]))
    command = [sys.executable, "-m", "mypy", "--cache-dir", "cache", "--hide-error-context", "calls.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    errors = {}
    for message in done.stdout.splitlines():
        if ": error: " in message:
            file, number, text = message.split(":", 2)
            assert file == "calls.py", message
            errors[[*right, *WRONG][int(number) - 1]] = text
    assert {line: text for line, text in errors.items() if line not in WRONG} == {}, done.stdout + done.stderr
    assert {line: errors.get(line) for line, word in WRONG.items() if word not in errors.get(line, "")} == {}
