"""The model card: which parts learned, from what, and under which licences."""

from multihop.training.card import card

TOLD = {"start": "mini", "lessons": 1200, "epochs": 2, "learning_rate": 0.1, "seed": 0}


def test_a_card_names_every_source_and_the_licence_of_each_set_once():
    files = ["squad.train.jsonl.gz", "squad_unanswerable.train.jsonl.gz", "timeqa.train.jsonl.gz", "mine.jsonl"]
    sources = ["hotpotqa.train.jsonl.gz, in an earlier training", *files, "9 questions of several hops made of theirs"]
    text = card({**TOLD, "sources": sources, "trained": ["embed", "judge"], "part": "embed"}, "int8")
    assert "\n".join(f"- {source}" for source in sources) in text
    assert "1,200 lessons for `embed.onnx`, 2 pass(es), learning rate 0.1, seed 0, from" in text
    flat = text.replace("\n", " ")
    assert (
        "The questions learned from are of HotpotQA (CC BY-SA 4.0); SQuAD (CC BY-SA 4.0); TimeQA (BSD-3-Clause, its "
        "paragraphs CC BY-SA); mine.jsonl (see where it comes from). No text of them is in these files." in flat
    )
    assert "`embed.onnx` began as mini and learned to put a question next to" in flat
    assert "`judge.onnx` began as the same and learned to read" in flat


def test_a_card_says_what_did_not_learn():
    text = card({**TOLD, "sources": ["9 questions of several hops made of theirs"], "trained": ["judge"]}, "int8")
    assert "`embed.onnx` is mini as it came." in text
    assert "No one's questions were learned from." in text.replace("\n", " ")
    embed_alone = card({**TOLD, "sources": [], "trained": ["embed"], "part": "embed"}, "int8").replace("\n", " ")
    assert "`judge.onnx` began as the same and has learned nothing yet." in embed_alone
    assert max(map(len, text.splitlines())) <= 120


def test_a_card_says_of_what_the_weights_are_the_mean():
    told = {**TOLD, "sources": [], "keep": 0.4}
    assert "of each weight" not in card({**told, "keep": 0.0}, "int8")
    assert "40% of each weight is what it was before.\n" in card(told, "int8")
    apart = {"lessons": 11_886, "epochs": 1, "learning_rate": 0.2, "seed": 7}
    flat = card({**told, "mean_with": apart}, "int8").replace("\n", " ")
    assert "Of each weight 40% is of that training, and the rest of one apart: 11,886 lessons, 1 pass(es)" in flat
