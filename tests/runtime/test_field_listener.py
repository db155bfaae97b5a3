import asyncio
import json
from itertools import pairwise

import dspy
import pytest
from dspy.streaming import StreamResponse
from hypothesis import given, settings
from hypothesis import strategies as st

from multihop import scripted
from multihop.runtime.streaming import FieldListener, text_of_field

FORMS = {
    "json": (dspy.JSONAdapter(), '{"thought": "[[ ## a\\"answer\\": \\"no", "answer" : "%s", "end": "x"}'),
    "fenced": (dspy.JSONAdapter(), '```json\n{"answer": "%s"}\n```'),
    "marked": (dspy.ChatAdapter(), "[[ ## thought ## ]]\n[1]\n\n[[ ## answer ## ]]\n%s\n\n[[ ## completed ## ]]"),
    "xml": (dspy.XMLAdapter(), "<thought>\na\n</thought>\n<answer>\n%s\n</answer>"),
}


def told_of(whole, **options):
    """The text of the field when it has ended; as it is written, it grows and nothing is taken back."""
    told = [text_of_field(whole[:end], "answer", ends=end == len(whole), **options) for end in range(len(whole) + 1)]
    assert all(later.startswith(earlier) for earlier, later in pairwise(told))
    return told[-1]


@pytest.mark.parametrize("form", FORMS)
def test_a_field_is_told_piece_by_piece_and_never_taken_back(form):
    _, written = FORMS[form]
    assert told_of(written % "Toruń [1], as ever") == "Toruń [1], as ever"


def test_a_text_that_stands_alone_is_told_as_it_is_written():
    assert told_of(" Toruń [1],\nas ever\n", alone=True) == "Toruń [1],\nas ever"
    assert told_of(" Toruń [1],\nas ever\n") == ""


@settings(max_examples=40)
@given(st.text(max_size=20), st.booleans())
def test_a_string_of_json_is_told_as_it_is_read(value, ascii_only):
    assert told_of(json.dumps({"answer": value}, ensure_ascii=ascii_only)) == value


@pytest.mark.parametrize("form", ["json", "fenced", "marked"])
def test_the_form_is_that_of_the_text_whatever_adapter_is_set_where_it_is_received(form):
    adapter, written = FORMS[form]

    class Asked(dspy.Module):
        read = dspy.Predict("question -> answer")

        async def aforward(self, question):
            with dspy.context(adapter=adapter):
                return await self.read.acall(question=question)

    async def streamed():
        program = Asked()
        listener = FieldListener("answer", program.read, "read")
        stream = dspy.streamify(program, stream_listeners=[listener], is_async_program=True)
        with dspy.context(lm=scripted([written % "the river Po"] * 2)):
            return [[item async for item in stream(question="Which?")] for _ in range(2)]

    for items in asyncio.run(streamed()):
        pieces = [item for item in items if isinstance(item, StreamResponse)]
        assert "".join(piece.chunk for piece in pieces) == "the river Po"
        assert len(pieces) > 2
        assert [piece.is_last_chunk for piece in pieces] == [False] * (len(pieces) - 1) + [True]
        assert {(piece.predict_name, piece.signature_field_name) for piece in pieces} == {("read", "answer")}


def test_a_chunk_without_a_choice_says_nothing():
    chunk = dspy.Prediction(choices=[])
    assert FieldListener("answer", dspy.Predict("question -> answer"), "read").receive(chunk) is None
