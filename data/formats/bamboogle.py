"""Bamboogle: 125 two-hop questions that a search engine did not answer, in the plain layout."""

from __future__ import annotations

from .format import SetCard

CARD = SetCard(
    name="bamboogle",
    title="Bamboogle",
    licence="MIT",
    citation=(
        "Ofir Press, Muru Zhang, Sewon Min, Ludwig Schmidt, Noah A. Smith, Mike Lewis. Measuring and Narrowing the "
        "Compositionality Gap in Language Models. Findings of EMNLP 2023."
    ),
    homepage="https://github.com/ofirpress/self-ask",
    hub="chiayewken/bamboogle:test",
)
