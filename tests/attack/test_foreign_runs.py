"""Run folders of strangers: any field may hold anything, and any name may try to be more than a name."""

import copy
import ctypes
import json
import re
import shutil
import warnings

import pytest
from written_runs import IDENTITY, rows, write_run

from multihop.evaluation import compare, open_run, write_summary, write_trec
from multihop.evaluation.comparison_table import comparison_table
from multihop.view import write_run_page

GONE = object()
CALL = {"role": "read", "model": "m", "in": 5, "out": 2, "estimated": False}
REFUSED = [
    ("questions.jsonl", ["metrics", "em"], [1e308, float("inf"), float("nan"), True, 10**400, "1"]),
    ("questions.jsonl", ["cost", "calls"], [-1, 10**400, 0.5, True, None, GONE]),
    ("questions.jsonl", ["cost", "tokens", "m", "in"], [-5, 10**12, "8", GONE]),
    ("questions.jsonl", ["cost", "seconds"], [-0.5, float("inf"), 1e12]),
    ("questions.jsonl", ["counts", "rounds"], [1e308, 10**400, True]),
    ("questions.jsonl", ["run_seconds"], [-1.0, float("nan")]),
    ("questions.jsonl", ["id"], ["x" * 2000, 1, GONE]),
    ("questions.jsonl", ["trajectory"], [[{"outputs": None}], [None], {}]),
    ("questions.jsonl", ["trajectory", 1, "tree", "children", 0, "action"], ["text", 1]),
    ("questions.jsonl", ["passages", 0], [[], ["p1"], [3, 1.0], ["p1", float("nan")]]),
    ("questions.jsonl", ["evidence"], [[float("nan")], [{"a": float("inf")}]]),
    ("run.json", ["identity", "retriever"], ["x" * 2000, 3]),
    ("run.json", ["identity", "program", "prompts", "review"], [{}, None]),
    ("run.json", ["identity", "data", "questions"], [-1, 10**400]),
    ("run.json", ["prices", "m", "input"], [-1.0, 1e308, float("nan"), "1", GONE]),
    ("calls.jsonl", ["in"], [-1, 10**400, float("nan"), True]),
]


@pytest.fixture
def runs(tmp_path):
    """Two runs of a folder, and what an edit of one of the first one's files makes of it."""
    write_run(tmp_path / "a", rows())
    header = json.loads((tmp_path / "a" / "run.json").read_text())
    (tmp_path / "a" / "run.json").write_text(json.dumps(header | {"prices": {"m": {"input": 1.0, "output": 2.0}}}))
    (tmp_path / "a" / "calls.jsonl").write_text(f"{json.dumps(CALL)}\n")
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    return tmp_path


def edited(value, path, new):
    if not path:
        return new
    value = copy.copy(value)
    if new is GONE and len(path) == 1:
        del value[path[0]]
    else:
        value[path[0]] = edited(value[path[0]], path[1:], new)
    return value


def edit(folder, name, path, new):
    first, *others = (folder / "b" / name).read_text().split("\n" if name.endswith("l") else "\0")
    (folder / "a" / name).write_text("\n".join([json.dumps(edited(json.loads(first), path, new)), *others]))


@pytest.fixture
def said(run, runs):
    """Runs a command over the runs, for its code and all that it says; NumPy's warnings are errors."""

    def said(*arguments):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            code, *told = run(*(each.format(runs) for each in arguments))
        return code, "".join(told)

    return said


READ = [("show", "{}/a"), ("compare", "{}/b", "{}/a"), ("view", "{}/a", "--to", "{}/page.html")]


@pytest.mark.parametrize(("name", "path", "values"), REFUSED, ids=lambda each: str(each)[:40])
def test_what_no_run_can_hold_is_told_with_its_place(name, path, values, runs, said):
    for value in values:
        edit(runs, name, path, value)
        for command in READ:
            code, told = said(*command)
            place = f"{name}, line 1" if name.endswith("l") else "run.json"
            assert (code, told.count("\n")) == (2, 1), (command, told)
            assert told[:600].startswith(f"multihop: {runs}/a/{place} is damaged")


NAMES = [
    "\\input{/etc/passwd} $x^2$ 50% a_b #&~ {}",
    "plain\n\\input{/etc/passwd}\r\\write18{id}",
    '=cmd|" /C calc"!A0',
    "@SUM(1)\n| em | 100.0 |",
    "<script>alert(1)</script></textarea><img src=x onerror=alert(1)>",
    "![x](http://127.0.0.1:9/x.png) [y](javascript:alert(1)) `code` \\",
]
TEX = {"begin", "end", "toprule", "midrule", "bottomrule", "scriptsize", "textbf"}
TEX |= {"textbackslash", "textasciitilde", "textasciicircum"}
"""The commands of TeX that a table has."""


@pytest.mark.parametrize("name", NAMES)
def test_a_name_stays_a_name_wherever_it_is_written(name, runs):
    for run in ("a", "b"):
        program = {"name": name, "settings": {name: 1 if run == "a" else 2}, "prompts": {}}
        identity = {**IDENTITY, "program": program, "lm": {name: {**IDENTITY["lm"]["review"], "model": name}}}
        header = json.loads((runs / run / "run.json").read_text())
        (runs / run / "run.json").write_text(json.dumps(header | {"identity": identity}))
        lines = [json.dumps({**each, "id": f"{name} {n}", "type": f"{name} {n}"}) for n, each in enumerate(rows())]
        (runs / run / "questions.jsonl").write_text("\n".join(lines) + "\n")
    found = compare(runs / "a", runs / "b")
    tex = re.sub(r"^%.*\n", "", comparison_table([found], "latex"), flags=re.M)
    assert set(re.findall(r"(?<!\\)\\([a-zA-Z]+)", tex)) <= TEX
    assert tex.count("\\\\\n") == 3
    table = comparison_table([found], "csv").splitlines()
    assert (len(table), [line for line in table if line.lstrip('"')[0] in "=+-@"]) == (3, [])
    write_summary(runs / "a")
    page = (runs / "a" / "summary.md").read_text().partition("Settings: `")[0]
    assert not re.search(r"(?<!\\)<[a-zA-Z/!]|\]\(|^\| em \| 100.0 \|$|^\\", page, flags=re.M)
    assert page.count("\n# ") + page.startswith("# ") == 1
    fields = [{line.count(" ") for line in file.read_text().split("\n")[:-1]} for file in write_trec(runs / "a")]
    assert fields == [{5}, {3}]
    shown = [each._repr_html_() for each in (open_run(runs / "a"), found, open_run(runs / "a").search(f"{name} 0"))]
    shown.append(write_run_page([runs / "a"], runs / "page.html").read_text())
    assert not [each for each in shown if re.search(r"<script>alert|<img|</textarea|href=.?javascript", each)]


@pytest.fixture
def ordinary(tmp_path):
    """The right of root to read and write whatever permissions say is given up for a test."""
    libc, head, had = ctypes.CDLL(None), (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    if not hasattr(libc, "capget") or libc.capget(head, had):
        pytest.skip("permissions cannot be given up here")
    fewer = type(had)(*had)
    fewer[0] &= ~0b110  # CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH of what is in effect
    libc.capset(head, fewer)
    yield
    libc.capset(head, had)


EVALUATE = ("evaluate", "direct", "-q", "little", "--lm", "local", "--limit", "1", "--quiet", "--out")


@pytest.mark.parametrize(
    ("what", "mode", "command"),
    [
        *(("a/questions.jsonl", 0o000, command) for command in READ),
        ("a/run.json", 0o000, ("show", "{}/a")),
        ("a/calls.jsonl", 0o000, ("show", "{}/a")),
        ("a", 0o000, ("show", "{}/a")),
        ("a", 0o500, ("view", "{}/a")),
        ("b", 0o500, ("compare", "{}/a", "{}/a", "--to", "{}/b/table.csv")),
        ("b", 0o500, (*EVALUATE, "{}/b/new")),
        ("b", 0o500, ("reproduce", "resp-table-1", "-q", "little", "--lm", "local", "--out", "{}/b/new")),
    ],
)
@pytest.mark.usefixtures("ordinary")
def test_what_permissions_forbid_is_said_in_a_sentence(what, mode, command, runs, said):
    before = {path: path.stat().st_size for path in runs.rglob("*")}
    (runs / what).chmod(mode)
    code, told = said(*command)
    (runs / what).chmod(0o700)
    assert code == 2
    assert re.fullmatch(rf"multihop: .*{re.escape(str(runs))}/{what}.*: Permission denied\.", told.splitlines()[-1])
    assert {path: path.stat().st_size for path in runs.rglob("*")} == before
