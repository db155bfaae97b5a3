"""The text of one field of an answer while an LM still writes it, in whatever form the answer is written.

DSPy's own `StreamListener` looks for the form of the adapter that is set where the stream is received. Here a step is
asked in the form that its LM keeps to best, and in another one after a failure, so only the text itself tells its form.
"""

import json
import re
from typing import Any

import dspy
from dspy.streaming import StreamListener, StreamResponse

_WHOLE_ESCAPES = r'(?:[^"\\]|\\u[0-9a-fA-F]{4}|\\[^u])*'
_HELD_BACK = re.compile(r"\s*(\[(\[[ #\w\]]*)?)?$")
"""White space and the beginning of a header, at the end of a text that goes on."""
_HEADER = re.compile(r"\[\[ ## \w+ ## \]\]")


class FieldListener(StreamListener):  # type: ignore[misc]
    """Tells a step's field piece by piece, call after call."""

    def __init__(self, field: str, predictor: dspy.Predict, step: str, *, alone: bool = False) -> None:
        """Nothing was heard yet.

        Args:
            field: The field's name.
            predictor: The predictor that is asked for it.
            step: The name under which its pieces are told.
            alone: True if the LM is asked for the field alone, as it is.
        """
        super().__init__(field, predict=predictor, predict_name=step, allow_reuse=True)
        self._written, self._told, self._alone = "", 0, alone

    def receive(self, chunk: Any) -> StreamResponse | None:
        """The new piece of the field, if the chunk brings one; an empty one at the end of a call."""
        if not chunk.choices:
            return None
        choice = chunk.choices[0]
        self._written += choice.delta.content or ""
        ends = bool(choice.finish_reason)
        value = text_of_field(self._written, self.signature_field_name, ends=ends, alone=self._alone)
        piece, self._told = value[self._told :], max(self._told, len(value))
        self.stream_start |= bool(piece)
        if ends:
            self._written, self._told = "", 0
        return StreamResponse(self.predict_name, self.signature_field_name, piece, ends) if piece or ends else None

    def finalize(self) -> StreamResponse | None:
        """Nothing: the end of each call has told the rest."""
        return None


def text_of_field(written: str, name: str, *, ends: bool = False, alone: bool = False) -> str:
    """The field's value as far as it is certain: of JSON, of DSPy's marked fields, of XML, or all that is written.

    Args:
        written: A completion until now.
        name: The field's name.
        ends: True if nothing follows.
        alone: True if a text without any form is the field's value.
    """
    begins = written.lstrip()
    if begins.startswith(("{", "```")):
        found = re.search(rf'"{name}"\s*:\s*"({_WHOLE_ESCAPES})', written)
        value = json.loads(f'"{found[1]}"', strict=False) if found else ""
        return value[:-1] if "\ud800" <= value[-1:] <= "\udbff" else value  # half a character
    if begins.startswith("<"):
        _, _, value = written.partition(f"<{name}>")
        value, closed, _ = value.partition("</")
        return value.strip() if closed or ends else value.removesuffix("<").strip()
    if alone and not begins.startswith("["):
        return begins.rstrip()
    _, _, value = written.partition(f"[[ ## {name} ## ]]")
    if (header := _HEADER.search(value)) is not None:
        return value[: header.start()].strip()
    return value.strip() if ends else _HELD_BACK.sub("", value).lstrip()
