import dspy

from multihop import Question
from multihop.evaluation import evaluate
from multihop.evaluation.journal import read_rows
from multihop.experiments.experiment import Measure
from multihop.experiments.figures import figures_of, head
from multihop.programs import Direct
from multihop.runtime import token_count
from tests.openai_server import OpenAIServer

QUESTIONS = [Question(id=f"q{n}", question=f"Which river is number {n}?", answers=("Po",)) for n in range(3)]
MEASURES = [Measure("tokens"), Measure("prompt_tokens"), Measure("prompt_tokens/tokens")]


def test_what_a_server_has_in_its_cache_is_a_part_of_the_prompt_and_not_counted_twice(tmp_path):
    with OpenAIServer(lambda prompt: {"answer": "Po"}, prompt_cached=20) as server:
        lm = dspy.LM("openai/m", api_base=server.url, api_key="-")
        with dspy.context(lm=lm):
            evaluate(Direct(), QUESTIONS, out=tmp_path, progress=False)
    tokens, prompts, share = (figure.mean for figure in figures_of([tmp_path], MEASURES).values())
    rows = list(read_rows(tmp_path))
    assert tokens == sum(token_count(row["cost"]["tokens"]) for row in rows) / 3
    assert prompts == sum(row["cost"]["tokens"]["openai/m"]["in"] for row in rows) / 3 < tokens
    assert share == 100 * prompts / tokens
    assert head(MEASURES[2]) == "prompt tokens/tokens"
