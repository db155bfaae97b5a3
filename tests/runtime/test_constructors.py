import inspect
from dataclasses import field
from typing import ClassVar

import dspy
import pytest

from multihop import PROGRAMS, Direct, InputError, OneStep, Program
from multihop.programs.shared.sub_questions import SubQuestionSearch
from multihop.retrieval import RetrieverLike
from multihop.runtime import settings_of
from multihop.runtime.settings import setting_texts

OF_ALL = ["budget", "concurrency", "retries", "lms", "cloned"]
"""The settings that every program has, in their order."""


class Nothing:
    def search(self, queries, k):
        return [[] for _ in queries]


class TwoHops(Program):
    """Retrieves twice."""

    def __init__(self, retriever, *, hops: int = 2, **limits):
        """Set up the hops.

        Args:
            retriever: Where the passages come from.
            hops: Number of times to
                retrieve.
            **limits: See `Program`.
        """
        super().__init__(retriever, **limits)
        self.hops = hops


class ByFields(Program):
    """Retrieves as often as it is told."""

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
    """Has a constructor, above a class that has none."""

    notes: list[str]

    def __init__(self, retriever, *, only: int = 3, **settings):
        super().__init__(retriever, **settings)
        self.only = only


class Needs(Program):
    retrieves = False
    place: str


class Undocumented(TwoHops):
    def __init__(self, *passed, sure: bool = True, **settings):
        super().__init__(*passed, **settings)
        self.sure = sure


class Closed(TwoHops):
    def __init__(self, retriever, *, only: int):
        super().__init__(retriever)
        self.only = only


class Both(SubQuestionSearch, OneStep):
    """Two methods at once, without a constructor of its own."""


@pytest.mark.parametrize(
    "program", [*PROGRAMS.values(), TwoHops, ByFields, Undocumented, Both], ids=lambda each: each.__name__
)
def test_the_signature_has_every_setting_with_its_default(program):
    parameters = dict(inspect.signature(program).parameters)
    retriever = parameters.pop("retriever", None)
    assert (retriever is None) is issubclass(program, Direct)
    assert {each.kind for each in parameters.values()} == {inspect.Parameter.KEYWORD_ONLY}
    assert {name: each.default for name, each in parameters.items()} == {
        name: setting.default for name, setting in settings_of(program).items()
    }
    assert all(each.annotation is not inspect.Parameter.empty for each in parameters.values())


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_every_setting_has_a_text_where_it_is_written(program):
    texts = setting_texts(program)
    assert [name for name in settings_of(program) if not texts.get(name)] == []


def test_types_are_shown_as_one_reads_them():
    shown = str(inspect.signature(OneStep))
    assert shown.startswith("(retriever, *, k: int = 5, reads: bool = True, budget: ")
    assert "Annotated" not in shown


def test_an_instance_is_called_with_a_question():
    assert not hasattr(Direct(), "__signature__")
    assert "budget" not in inspect.signature(Direct().aforward).parameters


def test_a_class_of_ones_own_gets_the_same():
    expected = ["retriever", "hops", *OF_ALL]
    assert list(inspect.signature(TwoHops).parameters) == expected
    built = TwoHops(Nothing(), retries=1)
    assert (built.hops, built.retries) == (2, 1)


def test_a_class_that_passes_everything_on_takes_what_it_passes_on():
    assert list(inspect.signature(Undocumented).parameters)[:3] == ["retriever", "sure", "hops"]
    assert Undocumented(Nothing(), sure=False, hops=3).settings["hops"] == 3


def test_what_a_constructor_does_not_pass_on_is_not_shown():
    assert str(inspect.signature(Closed)) == "(retriever, *, only: int)"


def test_settings_may_be_fields():
    assert list(inspect.signature(ByFields).parameters)[:3] == ["retriever", "hops", "sure"]
    assert setting_texts(ByFields)["hops"] == "Number of times to retrieve."
    built = ByFields(Nothing(), hops="3", retries=1)
    assert (built.hops, built.sure, built.retries, built.answer.config["n"]) == (3, True, 1, 3)
    assert list(built.settings) == ["hops", "sure", *OF_ALL]
    with pytest.raises(InputError, match="setting 'hops' of ByFields cannot be 'many'"):
        ByFields(Nothing(), hops="many")
    with pytest.raises(InputError, match="unknown setting of ByFields 'kinds'"):
        ByFields(Nothing(), kinds=())
    with pytest.raises(InputError, match="give it a retriever"):
        ByFields()
    with pytest.raises(TypeError, match="Direct takes no retriever"):
        Direct(Nothing())


def test_a_class_with_a_constructor_passes_on_to_one_with_fields():
    built = More(Nothing(), hops=5)
    assert (built.only, built.hops, built.answer.config["n"]) == (3, 5, 5)
    assert list(inspect.signature(More).parameters)[:4] == ["retriever", "only", "hops", "sure"]
    assert "notes" not in built.settings


def test_a_field_without_a_default_has_to_be_given():
    assert Needs(place="Paris").place == "Paris"
    with pytest.raises(TypeError, match="Needs needs the setting 'place'"):
        Needs()
