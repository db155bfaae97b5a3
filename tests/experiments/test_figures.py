import dspy

from multihop import Question, scripted
from multihop.evaluation import evaluate
from multihop.evaluation.journal.journal import read_rows
from multihop.experiments.experiment import Measure
from multihop.experiments.figures import figures_of, head
from multihop.programs import Direct
from multihop.runtime import token_count
from tests.openai_server import OpenAIServer

QUESTIONS = [Question(id=f"q{n}", question=f"Which river is number {n}?", answers=("Po",)) for n in range(3)]
MEASURES = [
    Measure("tokens"),
    Measure("prompt_tokens"),
    Measure("prefix_cached"),
    Measure("prefix_cached/prompt_tokens"),
]


def figures(folder, lm):
    with dspy.context(lm=lm):
        evaluate(Direct(), QUESTIONS, out=folder, progress=False)
    return [figure.mean for figure in figures_of([folder], MEASURES).values()]


def test_what_a_server_has_in_its_cache_is_a_part_of_the_prompt_and_not_counted_twice(tmp_path):
    with OpenAIServer(lambda prompt: {"answer": "Po"}, prompt_cached=20) as server:
        tokens, prompts, cached, share = figures(tmp_path, dspy.LM("openai/m", api_base=server.url, api_key="-"))
    rows = list(read_rows(tmp_path))
    assert tokens == sum(token_count(row["cost"]["tokens"]) for row in rows) / 3
    assert prompts == sum(row["cost"]["tokens"]["openai/m"]["in"] for row in rows) / 3 < tokens
    assert (cached, share) == (20, 100 * 20 / prompts)


def test_what_no_lm_tells_is_computed(tmp_path):
    _, prompts, cached, share = figures(tmp_path, scripted(lambda prompt: {"answer": "Po"}))
    assert 0 < cached < prompts  # the instructions, which all questions share
    assert share == 100 * cached / prompts
    assert head(MEASURES[3]) == "prefix-cached/prompt tokens"
