import pytest

from multihop.data.world import World


def recall_at_5(world):
    import bm25s
    import Stemmer

    stemmer = Stemmer.Stemmer("english")

    def tokens(texts):
        return bm25s.tokenize(texts, stopwords="en", stemmer=stemmer, show_progress=False)

    passages, questions = list(world.passages()), list(world.questions())
    index = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
    index.index(tokens([f"{passage.title} {passage.text}" for passage in passages]), show_progress=False)
    found, _ = index.retrieve(tokens([question.question for question in questions]), k=5, show_progress=False)
    shares = [
        len({passages[place].id for place in row} & set(question.supporting)) / len(question.supporting)
        for question, row in zip(questions, found, strict=True)
    ]
    return 100 * sum(shares) / len(shares)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_one_search_finds_two_thirds_of_what_a_default_world_needs(seed):
    assert 60 <= recall_at_5(World(seed=seed)) <= 75


def test_one_search_finds_two_thirds_in_a_larger_world_too():
    assert 60 <= recall_at_5(World(questions=300, passages=6_000, seed=6)) <= 75
