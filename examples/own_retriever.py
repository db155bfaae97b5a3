"""Bring your own retriever: anything with `search(queries, k)` will do.

python examples/own_retriever.py
"""

from collections.abc import Sequence

import dspy

from multihop import Hit, Passage, RetrieveSummarizePlan, local

PAGES = [
    Passage("1", "Night Train (film)", "Night Train is a 1959 film directed by Jerzy Kowal."),
    Passage("2", "Jerzy Kowal", "Jerzy Kowal was born in Torun in 1922."),
    Passage("3", "Torun", "Torun is a city on the Vistula."),
]


class SharedWords:
    """Ranks by the number of words shared; a batch of queries in, a ranking for each out."""

    def search(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        return [sorted((self.hit(query, page) for page in PAGES), key=lambda hit: -hit.score)[:k] for query in queries]

    def hit(self, query: str, page: Passage) -> Hit:
        return Hit(page, float(len(set(query.lower().split()) & set(str(page).lower().split()))))

    def __deepcopy__(self, memo):
        return self  # optimizers copy programs by the dozen


with dspy.context(lm=local()):
    prediction = RetrieveSummarizePlan(SharedWords(), k=2)(question="Where was the director of Night Train born?")

print(prediction.answer)
print([passage.title for passage in prediction.passages])
