"""The tables of ReSP ask as the paper does: what IRCoT has found accumulates, which is what figure 2 is about."""

import pytest
from shelf import Shelf, by_field, run

from multihop import create
from multihop.experiments import open_experiment


@pytest.mark.parametrize("k", [3, 15])
def test_ircot_shows_all_that_its_rounds_have_found(k):
    experiment = open_experiment("resp-figure-2")
    settings = experiment.settings(experiment.row(f"IRCoT, k={k}"), "hotpotqa")
    shelf = Shelf(**{query: " ".join(f"{query}{n}" for n in range(20)) for query in ("q", "on", "further")})
    thoughts = [{"thought": thought, "enough": False} for thought in ("on", "further")]
    lm = by_field(thought=thoughts, reasoning={"reasoning": "r", "answer": "x"})
    _, prompts = run(create("ircot", shelf, **settings), lm)
    assert [len(prompt.inputs["passages"]) for prompt in prompts] == [k, 2 * k, 3 * k]
