"""Lists that end: where a step is told how many to name, its answer has room for no more.

An LM that is held to a schema then stops there, and a small one does not go on naming what nobody reads.
"""

import functools
from collections.abc import Mapping
from typing import Any

from ...signatures.output_types import Texts

NUMBER = "number"
"""The input that tells a step how many to name."""


def counted(signature: Any, inputs: Mapping[str, Any]) -> Any:
    """The signature with its lists of texts as long as the inputs say; the same one if they say nothing of it.

    Examples:
        >>> from multihop.runtime.lm_call.counting import counted
        >>> from multihop.signatures import ProposeSubQuestions
        >>> counted(ProposeSubQuestions, {"number": 3}).output_fields["sub_questions"].annotation.most
        3
    """
    number = str(inputs.get(NUMBER, ""))
    return _shortened(signature, int(number)) if number.isdecimal() and int(number) else signature


@functools.lru_cache(256)
def _shortened(signature: Any, number: int) -> Any:
    for name, field in signature.output_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, Texts):
            signature = signature.with_updated_fields(name, type_=kind.at_most(number))
    return signature
