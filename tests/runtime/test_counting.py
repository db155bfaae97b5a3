import pytest
from openai_server import OpenAIServer
from toys import FakeRetriever, ask

from multihop import open_lm
from multihop.programs import create
from multihop.runtime.call import counted
from multihop.signatures import (
    CompareCandidates,
    ProposeActions,
    ProposeCandidates,
    ProposeSubQuestions,
    ProposeThoughts,
)


def everything(_):
    """An answer with the fields of every step of these programs."""
    words = [f"word {number}" for number in range(9)]
    lists = {"sub_questions": words, "candidates": words}
    verdicts = {"valid": True, "first_better": True, "score": 5}
    return {**lists, **verdicts, "sentence": "A river.", "result": "Po", "answer": "Po"}


@pytest.mark.parametrize(
    ("name", "candidates", "settings"), [("mzqa", 4, {"iterations": 1, "depth": 1}), ("sure", 2, {})]
)
def test_a_server_is_told_how_many_to_name(name, settings, candidates):
    program = create(name, FakeRetriever(), candidates=candidates, **settings)
    with OpenAIServer(everything, keeps_to_schema=True) as server:
        ask(program, open_lm("server/m", api_base=server.url))
    schemas = [body["response_format"]["json_schema"]["schema"] for body in server.bodies if "response_format" in body]
    fields = [field for schema in schemas for field in schema["properties"].values()]
    assert [field["maxItems"] for field in fields if field.get("type") == "array"] == [candidates]


@pytest.mark.parametrize("signature", [ProposeSubQuestions, ProposeCandidates, ProposeThoughts, ProposeActions])
def test_every_step_that_is_told_a_number_is_held_to_it(signature):
    told = counted(signature, {"number": 3, "question": "Who?"})
    assert [field.annotation.most for field in told.output_fields.values()] == [3]
    assert told.instructions == signature.instructions
    assert told is counted(signature, {"number": "3"})  # its system message is written once
    for inputs in ({}, {"number": 0}, {"number": "several"}, {"number": None}):
        assert counted(signature, inputs) is None
    assert counted(CompareCandidates, {"number": 3}) is None
