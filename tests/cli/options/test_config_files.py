import tomllib
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multihop.base import InputError
from multihop.cli.app import command_line
from multihop.cli.commands.evaluate import evaluate_command
from multihop.cli.options.config_reading import TABLES, texts_of
from multihop.cli.options.config_writing import CONFIG, HEAD, as_config, keep_config, options_in_force
from multihop.cli.options.program import ProgramOptions
from multihop.cli.options.selection import SelectionOptions
from multihop.runtime import parse_settings

texts = st.text(st.characters(codec="utf-8"), min_size=1).filter(lambda text: "://" not in text and text[:2] != "~/")
numbers = st.integers(min_value=1)
fractions = st.floats(min_value=0.001, allow_nan=False, allow_infinity=False)
names = st.from_regex(r"[a-z][a-z_]{0,8}", fullmatch=True).filter(lambda name: "key" not in name and "tok" not in name)
values = st.one_of(
    texts,
    numbers.map(str),
    fractions.map(str),
    st.sampled_from(["true", "null", "[5,3]", '["a","b"]', '{"a":1}', "07"]),
)
pairs = st.lists(st.tuples(names, values).map("=".join), min_size=1, max_size=4)
options = st.fixed_dictionaries(
    {"program": texts, "out": texts.map(Path)},
    optional={
        "questions": texts,
        "corpus": texts,
        "lm": texts,
        "demos": texts.map(Path),
        "metric": st.lists(texts, min_size=1, max_size=3),
        "allow": st.lists(texts, min_size=1, max_size=3),
        "limit": numbers,
        "seed": st.integers(),
        "timeout": fractions,
        "budget-usd": fractions,
        "cache": st.sampled_from(["off", "run", "shared"]),
        "references": st.just(True),
        **dict.fromkeys(TABLES, pairs),
    },
)


def parsed(*arguments):
    """The options that the command is called with, by their names in a file."""
    arguments = [str(each) for each in arguments]
    _, bound, _ = command_line(arguments).parse_args(arguments)
    bound.arguments.pop("config", None)
    found = {}
    for name, value in bound.arguments.items():
        options = vars(value) if is_dataclass(value) else {name: value}
        by_default = vars(type(value)()) if is_dataclass(value) else {}
        found |= {each: one for each, one in options.items() if each not in by_default or one != by_default[each]}
    return {name.rstrip("_").replace("_", "-"): value for name, value in found.items()}


def as_settings(options):
    """The same with what is written name=value as it is understood; as text, since NaN is equal to nothing."""
    return {name: repr(parse_settings(value)) if name in TABLES else value for name, value in options.items()}


@given(chosen=options)
def test_whatever_was_chosen_is_chosen_again_by_the_file(tmp_path_factory, chosen):
    path = tmp_path_factory.mktemp("config") / CONFIG
    path.write_text(HEAD + as_config(chosen), encoding="utf-8")
    assert as_settings(parsed("evaluate", "--config", path)) == as_settings(chosen)


@pytest.fixture
def config(tmp_path):
    def write(text):
        path = tmp_path / "run.toml"
        path.write_text(text)
        return path

    return write


def test_the_command_line_counts_before_the_file(config):
    path = config('program = "tor"\nout = "a"\nlimit = 5\nmetric = ["acc", "contains"]\nset = { k = 8, width = 3 }\n')
    found = parsed("evaluate", "resp", "--config", path, "--limit", 7, "--metric", "judged", "--set", "k=2")
    assert found == {"program": "resp", "out": Path("a"), "limit": 7, "metric": ["judged"], "set": ["k=2", "width=3"]}


def test_a_path_at_home_is_understood_as_on_the_command_line(config, monkeypatch):
    monkeypatch.setenv("HOME", "/home/ada")
    assert parsed("evaluate", "tor", "--config", config('out = "~/runs/a"'))["out"] == Path("/home/ada/runs/a")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("limi = 5", "unknown option 'limi'; did you mean 'limit'? Valid: allow, api-base, "),
        ("budget_tokens = 5", "unknown option 'budget_tokens'; did you mean 'budget-tokens'? Valid: "),
        ('config = "other.toml"', "unknown option 'config'"),
        ('limit = "many"', 'limit is a whole number, such as limit = 100, not "many".'),
        ("limit = 2.5", "limit is a whole number, such as limit = 100, not 2.5."),
        ("limit = true", "limit is a whole number, such as limit = 100, not true."),
        ("timeout = false", "timeout is a number, such as timeout = 0.5, not false."),
        ("references = 1", "references is true or false, such as references = true, not 1."),
        ("lm = 5", 'lm is a text, such as lm = "...", not 5.'),
        ("out = 2026-01-02", 'out is a text, such as out = "...", not "2026-01-02".'),
        ('metric = "acc"', 'metric is a list of texts, such as metric = ["..."], not "acc".'),
        ("metric = [5]", 'metric is a list of texts, such as metric = ["..."], not [5].'),
        ('set = ["k=8"]', 'set is a table, such as set = { NAME = VALUE }, not ["k=8"].'),
        ("set = { since = 2026-01-02 }", "set has no dates and times, write since as a text."),
        ("limit = ?", "is not TOML: Invalid value (at line 1, column 9)."),
    ],
)
def test_what_cannot_be_used_is_refused_in_a_sentence(config, text, sentence):
    path = config(text)
    with pytest.raises(InputError) as refused:
        parsed("evaluate", "tor", "--out", "a", "--config", path)
    said = str(refused.value)
    assert said.removeprefix(f"{path}: ").removeprefix(f"{path} ").startswith(sentence), said
    assert str(path) in said


def test_a_file_that_is_not_there_is_named(run, tmp_path):
    code, _, said = run("evaluate", "--config", tmp_path / "none.toml")
    assert (code, said) == (2, f"multihop: {tmp_path / 'none.toml'} cannot be read: No such file or directory.\n")


def test_a_number_out_of_bounds_is_refused_with_the_file(config, run):
    path = config('program = "tor"\nout = "a"\nlimit = 0')
    code, _, said = run("evaluate", "--config", path)
    assert (code, said) == (2, f'multihop: Invalid value "0" for limit provided by {path}. Must be >= 1.\n')


def other_value(hint):
    """A value that no option has by default; of a group of options, one for each of them."""
    return hint(**{field.name: "given" for field in fields(hint)}) if is_dataclass(hint) else "given"


def test_options_are_named_as_on_the_command_line():
    names = set()

    def see(app, commands, arguments):
        names.update(argument.name.lstrip("-").lower() for argument in arguments if not argument.children)

    app = command_line(["evaluate"])
    app.config = [see]
    app.parse_args(["evaluate", "tor", "--out", "a"])
    values = {name: other_value(hint) for name, hint in evaluate_command.__annotations__.items() if name != "return"}
    assert set(options_in_force(evaluate_command, values)) == names - {"config", "json", "quiet"}


def test_what_is_as_by_default_is_not_written():
    values = {"program": "tor", "out": Path("runs/a"), "selection": SelectionOptions(limit=5), "seed": 0}
    values |= {"settings": ProgramOptions(set_=["k=8"]), "json": True}
    options = options_in_force(evaluate_command, values)
    assert as_config(options) == 'program = "tor"\nout = "runs/a"\nlimit = 5\nset = { k = 8 }\n'


def test_keys_and_logins_are_left_out_and_named():
    options = {
        "lm": "server/m@http://me:4711@host:8000/v1",
        "lm-set": ["api_key=sk-4711", "max_tokens=50"],
        "step-lm": ["read=server/m@https://me:4711@host/v1?code=4711"],
    }
    written = as_config(options)
    assert written == (
        'lm = "server/m@http://host:8000/v1"\n'
        "lm-set = { max_tokens = 50 }\n"
        'step-lm = { read = "server/m@https://host/v1" }\n'
        "# left out, give it again: the login in lm\n"
        "# left out, give it again: lm-set api_key\n"
        "# left out, give it again: the login in step-lm\n"
    )
    assert "4711" not in written


def test_a_name_that_is_no_text_is_left_out_and_named():
    assert as_config({"limit": 5, "corpus": "a\udcff"}) == "limit = 5\n# left out, give it again: corpus\n"


def test_a_set_table_and_its_texts_are_the_same():
    table = tomllib.loads(as_config({"set": ["k=8", "rate=0.5", "on=true", "widths=[5,3]", "mode=mpc", "zip=07"]}))
    assert table["set"] == {"k": 8, "rate": 0.5, "on": True, "widths": [5, 3], "mode": "mpc", "zip": "07"}
    back = ["k=8", "rate=0.5", "on=true", "widths=[5,3]", "mode=mpc", "zip=07"]
    assert texts_of("set", list, table["set"], Path("run.toml")) == back


def test_the_options_are_kept_once_the_run_is_on(tmp_path):
    watch = keep_config(tmp_path, {"limit": 5})
    assert not (tmp_path / CONFIG).exists()
    watch({}, True)
    assert (tmp_path / CONFIG).read_text() == f"{HEAD}limit = 5\n"
