"""A price counts the calls of programs and of the judge, and no reading where recall alone is asked for; tokens."""

from operator import itemgetter

import dspy
import pytest
from openai_server import OpenAIServer
from simulated import simulated
from toys import echo, evaluated, words

from multihop import scripted
from multihop.evaluation.journal import read_rows
from multihop.experiments import open_experiment, reproduce
from multihop.experiments.experiment import Measure
from multihop.experiments.figures import figures_of, head
from multihop.experiments.plan import plan_runs, price
from multihop.runtime import token_count

QUESTIONS = 7405 + 2417 + 12576


def prices(name):
    experiment = open_experiment(name)
    return [price(run, counts=False) for run in plan_runs(experiment, experiment.sets)]


def made(name, rows, folder, files, **options):
    """A table, those of its rows that were run, and the journal of each."""
    table = reproduce(name, rows=rows, out=folder, lm=simulated, limit=3, **files, **options)
    run = [row for row in table["rows"] if row["n"]]
    return table, run, [sorted(read_rows(folder / row["folder"]), key=itemgetter("id")) for row in run]


def test_every_judged_answer_is_a_call_of_the_judge():
    table = prices("efficientrag-table-3")
    assert sum(each.judge_calls for each in table) == 8 * QUESTIONS == 179_184
    assert sum(each.judge_calls for each in prices("resp-table-1")) == 0


def test_the_calls_of_optimizers_are_in_the_price():
    found = {each.run.row.name: each.compile_calls for each in prices("real-compile")}
    assert {row: found[row] for row in ("one-step, zero-shot", "one-step, bootstrapped", "mzqa, simba")} == {
        "one-step, zero-shot": 0,
        "one-step, bootstrapped": 50,
        "mzqa, simba": (4 * 16 * 8 + 5 * 20) * 19,
    }


@pytest.mark.parametrize(
    ("name", "most"),
    [
        (
            "efficientrag-table-2",
            {"Direct-R@10": 0, "EfficientRAG": 0, "Decompose-R": 1, "Iter-RetGen iter3": 2},
        ),
        ("tor-table-1", {"OneR": 0, "CoR": 3, "ToR": 86}),  # ToR's passages are ordered by what the reader says
        ("efficientrag-table-3", {"Direct-R@10": 1}),
    ],
)
def test_tables_of_recall_alone_pay_no_reading(name, most):
    found = {each.run.row.name: each.run.most_calls for each in prices(name)}
    assert {row: found[row] for row in most} == most


def test_recall_is_measured_without_a_call(little_files, tmp_path):
    _, (row, *_), (journal, *_) = made("efficientrag-table-2", ["Direct-R@10"], tmp_path, little_files)
    recall, most = row["cells"]
    assert (row["calls"], row["n"], most["ours"]) == (0.0, 3, 10.0)
    assert recall["ours"] is not None
    assert {(each["answer"], each["metrics"]["em"], each["metrics"]["f1"]) for each in journal} == {("", None, None)}


def test_mixed_chunks_are_all_gold_ones_among_others_up_to_ten(little_files, tmp_path):
    judge = scripted(lambda prompt: {"correct": True})
    names = ["direct", "oracle chunks", "mixed chunks"]
    table, run, journals = made("efficientrag-figure-1", names, tmp_path, little_files, judge=judge)
    assert [row["row"] for row in run] == names
    direct, oracle, mixed = ([[name for name, _ in each["passages"]] for each in rows] for rows in journals)
    gold = [each["supporting"] for each in journals[0]]
    assert direct == [[], [], []]
    assert [sorted(names) for names in oracle] == [sorted(names) for names in gold]
    assert [len(set(names)) for names in mixed] == [10, 10, 10]
    assert all(set(names) <= set(came) for names, came in zip(gold, mixed, strict=True))
    assert "searched by bm25, not Contriever-MSMARCO" in table["caveats"]


def test_what_a_server_has_in_its_cache_is_a_part_of_the_prompt_and_not_counted_twice(tmp_path):
    measures = [Measure("tokens"), Measure("prompt_tokens"), Measure("prompt_tokens/tokens")]
    with OpenAIServer(echo, prompt_cached=20) as server:
        evaluated(dspy.LM("openai/m", api_base=server.url, api_key="-"), words(3), tmp_path)
    tokens, prompts, share = (figure.mean for figure in figures_of([tmp_path], measures).values())
    rows = list(read_rows(tmp_path))
    assert tokens == sum(token_count(row["cost"]["tokens"]) for row in rows) / 3
    assert prompts == sum(row["cost"]["tokens"]["openai/m"]["in"] for row in rows) / 3 < tokens
    assert share == 100 * prompts / tokens
    assert head(measures[2]) == "prompt tokens/tokens"
