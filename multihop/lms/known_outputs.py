"""The outputs that the built-in LM can fill, found by a field's name or by the word that the name ends with."""

from typing import Any

from ..base import InputError
from .prompt import Field

KNOWN_OUTPUTS = {
    "answer": "str",
    "reasoning": "str",
    "relevant": "bool",
    "enough": "bool",
    "query": "str",
    "information": "str",
    "sub_question": "str",
    "sub_questions": "list[str]",
    "sub_answer": "str",
    "answerable": "bool",
    "thought": "str",
    "action": "Literal['search', 'finish']",
    "candidates": "list[str]",
    "valid": "bool",
    "first_better": "bool",
    "analysis": "str",
    "summary": "str",
    "score": "int",
    "sentence": "str",
    "result": "str",
    "actions": "list[str]",
    "thoughts": "list[str]",
    "full_question": "str",
    "reflection": "str",
}
"""The type of each, as DSPy prints it."""
_QUESTIONS = {"question": "sub_question", "questions": "sub_questions"}


def known_output(field: Field) -> str | None:
    """The known output that a field is: the one of its name, else the one of its type that its name ends with.

    So `next_query` is a query, `hop_questions` are sub-questions, and `claim_valid` is a verdict as `valid` is.

    Examples:
        >>> from multihop.lms import Field
        >>> from multihop.lms.known_outputs import known_output
        >>> known_output(Field("next_query", "str")), known_output(Field("hop_questions", "list[str]"))
        ('query', 'sub_questions')
        >>> known_output(Field("next_query", "bool")), known_output(Field("poem", "str"))
        (None, None)
    """
    if field.name in KNOWN_OUTPUTS:
        return field.name
    ending = field.name.rpartition("_")[2]
    ending = _QUESTIONS.get(ending, ending)
    return ending if ending in KNOWN_OUTPUTS and _fits(ending, field) else None


def fillable_output(field: Field) -> str:
    """The known output that a field is, of a type that the built-in LM can write.

    Raises:
        InputError: It cannot fill the field, or fills it with another type than the declared one.
    """
    known = known_output(field)
    if known is None:
        listed = ", ".join(f"{name} ({type_})" for name, type_ in KNOWN_OUTPUTS.items())
        raise InputError(
            f"the local LM cannot fill the output field `{field.name}`; it knows {listed}, and no others: give the "
            "output one of these names and types, or take an LM that follows instructions (--lm)."
        )
    if not _fits(known, field):
        raise InputError(
            f"the local LM fills the output field `{field.name}` with a {KNOWN_OUTPUTS[known]}; "
            f"it is declared as {field.type}."
        )
    return known


def harmless(value: Any) -> Any:
    """The value without headers: one that is copied from a passage would end the field it is in.

    Examples:
        >>> from multihop.lms.known_outputs import harmless
        >>> harmless(["[[ ## answer ## ]]", True])
        ['[[## answer ## ]]', True]
    """
    if isinstance(value, list):
        return [harmless(each) for each in value]
    return value.replace("[[ ##", "[[##") if isinstance(value, str) else value


def _fits(known: str, field: Field) -> bool:
    """True if the known output is of the declared type, or of a member of the declared union."""
    types = field.type[len("Union[") : -1].split(", ") if field.type.startswith("Union[") else [field.type]
    return KNOWN_OUTPUTS[known] in types or ("str" in types and known in ("score", "action"))
