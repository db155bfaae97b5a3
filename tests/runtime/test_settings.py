"""Settings: fields, shown, converted and checked."""

import inspect
from dataclasses import field
from typing import ClassVar

import dspy
import pytest
from toys import FakeRetriever

from multihop import PROGRAMS, Budget, Direct, InputError, OneStep, Program, create
from multihop.programs.shared.sub_questions import SubQuestionSearch
from multihop.retrieval import RetrieverLike
from multihop.runtime import parse_settings, settings_of
from multihop.runtime.settings import setting_texts

OF_ALL = ["budget", "concurrency", "retries", "lms", "cloned"]
"""The settings that every program has, in their order."""


class ByFields(Program):
    """Has fields."""

    kinds: ClassVar[tuple[str, ...]] = ("by fields",)
    retriever: RetrieverLike = field(kw_only=False)
    """The retriever to ask."""
    hops: "int" = 2
    """Number of times to
    retrieve."""
    sure: bool = True

    def set_up(self):
        self.answer = dspy.Predict("question -> answer", n=self.hops)


class More(ByFields):
    """Has a constructor, which passes all settings on."""

    only: int = 3

    def __init__(self, retriever, **settings):
        super().__init__(retriever, **settings)
        self.check = dspy.Predict("answer -> right: bool")


class Needs(Program):
    retrieves = False
    place: str


class Both(SubQuestionSearch, OneStep):
    """Two methods at once, without a constructor of its own."""


@pytest.mark.parametrize("program", [*PROGRAMS.values(), ByFields, More, Both])
def test_the_signature_has_every_setting_with_its_default(program):
    parameters = dict(inspect.signature(program).parameters)
    retriever = parameters.pop("retriever", None)
    assert (retriever is None) is issubclass(program, Direct)
    assert {each.kind for each in parameters.values()} == {inspect.Parameter.KEYWORD_ONLY}
    assert {name: each.default for name, each in parameters.items()} == {
        name: setting.default for name, setting in settings_of(program).items()
    }
    assert all(each.annotation is not inspect.Parameter.empty for each in parameters.values())


@pytest.mark.parametrize(
    ("program", "names"),
    [
        (OneStep, ["retriever", "k", "reads", *OF_ALL]),
        (ByFields, ["retriever", "hops", "sure", *OF_ALL]),
        (More, ["retriever", "only", "hops", "sure", *OF_ALL]),
    ],
)
def test_a_signature_shows_the_settings_of_a_class_and_of_those_that_it_passes_on_to(program, names):
    assert list(inspect.signature(program).parameters) == names


def test_types_are_shown_as_one_reads_them():
    shown = str(inspect.signature(OneStep))
    assert shown.startswith("(retriever, *, k: int = 5, reads: bool = True, budget: ")
    assert "Annotated" not in shown
    assert not hasattr(Direct(), "__signature__"), "an instance is called with a question"


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_program_keeps_its_settings_and_says_what_each_is(name):
    program = PROGRAMS[name]
    built = create(name, FakeRetriever() if program.retrieves else None)
    assert built.settings == {setting: declared.default for setting, declared in settings_of(program).items()}
    assert all((program.paper, program.calls, program.__doc__))
    texts = setting_texts(program)
    assert [setting for setting in settings_of(program) if not texts.get(setting)] == []


def test_values_are_converted_to_the_declared_type():
    program = OneStep(FakeRetriever(), k="8", budget={"calls": 3})
    assert (program.k, program.budget) == (8, Budget(calls=3))
    fields = ByFields(FakeRetriever(), hops="3", retries=1)
    assert (fields.hops, fields.sure, fields.retries, fields.answer.config["n"]) == (3, True, 1, 3)
    assert list(fields.settings) == ["hops", "sure", *OF_ALL]
    assert setting_texts(ByFields)["hops"] == "Number of times to retrieve."
    more = More(FakeRetriever(), hops=5, lms={"check": "openai/m"})
    assert (more.only, more.hops, more.answer.config["n"], more.steps) == (3, 5, 5, ["answer", "check"])
    assert Needs(place="Paris").place == "Paris"
    with pytest.raises(TypeError, match="Needs needs the setting 'place'"):
        Needs()
    with pytest.raises(TypeError, match="Direct takes no retriever"):
        Direct(FakeRetriever())


@pytest.mark.parametrize(
    ("program", "settings", "message"),
    [
        (OneStep, {"k": 0}, "setting 'k' of OneStep cannot be 0: .*greater than or equal to 1"),
        (OneStep, {"kk": 3}, "unknown setting of OneStep 'kk'; did you mean 'k'. Valid: budget, cloned, concurrency, "),
        (OneStep, {"budget": {"calls": -1}}, "setting 'budget'"),
        (OneStep, {"concurrency": 0}, "setting 'concurrency'"),
        (ByFields, {"hops": "many"}, "setting 'hops' of ByFields cannot be 'many'"),
        (ByFields, {"kinds": ()}, "unknown setting of ByFields 'kinds'"),
        (OneStep, {"retriever": None}, "give it a retriever"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_sentence(program, settings, message):
    with pytest.raises(InputError, match=message):
        program(**{"retriever": FakeRetriever(), **settings})


def test_settings_as_written_on_the_command_line():
    written = {"8": 8, "0.5": 0.5, "true": True, "null": None, "mpc": "mpc", "a=b": "a=b"}
    written |= {"5,3,3": [5, 3, 3], "a,b": ["a", "b"], '["x"]': ["x"]}
    assert {text: parse_settings([f"name={text}"])["name"] for text in written} == written


def test_a_setting_without_name_or_value_is_refused():
    for pair in ("k", "=8", ""):
        with pytest.raises(InputError, match="name=value"):
            parse_settings([pair])


@pytest.mark.parametrize(
    "constructor", [lambda self, retriever, *, hops=2, **settings: None, lambda self, retriever: None]
)
def test_settings_in_a_constructor_are_refused(constructor):
    with pytest.raises(TypeError, match="the settings of Mine are annotated fields of the class, such as k: int = 3"):
        type("Mine", (Program,), {"__init__": constructor})
