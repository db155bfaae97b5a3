import inspect
import typing

import pytest

from multihop.base import InputError
from multihop.programs import Direct, OneStep, create, program_named
from multihop.runtime import Budget, Limits, Program, parse_settings, settings_of
from multihop.runtime.settings import setting_texts


class NoRetriever:
    def search(self, queries, k):
        return [[] for _ in queries]


def test_settings_are_those_of_the_constructor_and_its_bases():
    of_all = ["budget", "concurrency", "retries", "lms", "cloned"]
    assert list(settings_of(OneStep)) == ["k", "reads", *of_all]
    expected = {"k": 7, "reads": True, "budget": None, "concurrency": 64, "retries": 2, "lms": None, "cloned": ()}
    assert OneStep(NoRetriever(), k=7).settings == expected


def test_every_registered_program_keeps_its_settings_under_their_names():
    from multihop.programs import PROGRAMS

    for name, program in PROGRAMS.items():
        built = create(name, NoRetriever() if program.retrieves else None)
        assert built.settings == {setting: declared.default for setting, declared in settings_of(program).items()}
        assert all((program.paper, program.calls, program.__doc__))


def test_values_are_converted_to_the_declared_type():
    program = OneStep(NoRetriever(), k="8", budget={"calls": 3})
    assert program.k == 8
    assert program.budget == Budget(calls=3)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"k": 0}, "setting 'k' of OneStep cannot be 0: .*greater than or equal to 1"),
        ({"k": "many"}, "setting 'k' of OneStep cannot be 'many': .*integer"),
        (
            {"kk": 3},
            "unknown setting of OneStep 'kk'; did you mean 'k'. Valid: budget, cloned, concurrency, k, lms, ",
        ),
        ({"budget": {"calls": -1}}, "setting 'budget'"),
        ({"budget": {"dollars": 1}}, "setting 'budget'"),
        ({"concurrency": 0}, "setting 'concurrency'"),
        ({"retries": -1}, "setting 'retries'"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_sentence(settings, message):
    with pytest.raises(InputError, match=message):
        OneStep(NoRetriever(), **settings)


def test_a_program_that_retrieves_needs_a_retriever():
    with pytest.raises(InputError, match="give it a retriever"):
        OneStep(None)


def test_unknown_programs_are_answered_with_the_list():
    with pytest.raises(InputError, match="did you mean 'one-step'.*Valid: cor, cot, .*one-step, one-step-cot, .*tor"):
        program_named("one_step")
    assert create("direct", None).settings == Direct().settings


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("8", 8),
        ("0.5", 0.5),
        ("true", True),
        ("null", None),
        ("mpc", "mpc"),
        ("5,3,3", [5, 3, 3]),
        ("a,b", ["a", "b"]),
        ('["x"]', ["x"]),
        ("a=b", "a=b"),
    ],
)
def test_settings_as_written_on_the_command_line(written, value):
    assert parse_settings([f"name={written}"]) == {"name": value}


@pytest.mark.parametrize("pair", ["k", "=8", ""])
def test_a_setting_without_name_or_value_is_refused(pair):
    with pytest.raises(InputError, match="name=value"):
        parse_settings([pair])


def test_limits_are_the_settings_of_every_program():
    fields = {name: setting.type for name, setting in settings_of(Program).items()}
    assert typing.get_type_hints(Limits, include_extras=True) == fields


def test_limits_are_told_as_the_program_tells_them():
    source, texts = inspect.getsource(Limits), setting_texts(Program)
    for name in typing.get_type_hints(Limits):
        assert texts[name] in " ".join(source.split()), name
