"""The stems of the words of a text that carry meaning."""

import re
from functools import lru_cache

_WORD = re.compile(r"[^\W_]+")
_SPELLED_OUT = (
    "a about after again all also am among an and any are as at be because been before being between both but by can "
    "could did do does during each either for from had has have having he her hers him his how i if in into is it its "
    "itself me more most my no nor not of off on once one only or other our out over own same she should so some such "
    "than that the their them then there these they this those through to under until up us very was we were what when "
    "where which while who whom whose why will with would you your s t d"
)
_FUNCTION_WORDS = frozenset(_SPELLED_OUT.split())
# Words that mean the same relation; every word counts as its group's first.
_RELATIONS = (
    "born birth birthplace birthday",
    "died die dies death dead deceased",
    "spouse wife husband married marry",
    "parent father mother son daughter child children",
    "directed director directs directing",
    "written writer wrote author writes authored",
    "compose composer composed music",
    "performer performed singer sung sings recorded",
    "country nationality national",
    "located location situated place",
    "founded founder established formed started",
    "released release published",
    "starred star starring actor actress cast",
    "film movie movies",
    "educated university college school studied graduated",
    "award prize awarded won",
    "headquarters headquartered based",
)
_GROUP = {word: group.split()[0] for group in _RELATIONS for word in group.split()}


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """The word without its commonest English endings, or the relation it means."""
    word = word.lower()
    if word in _GROUP:
        return _GROUP[word]
    if not word.endswith(("ss", "us", "is")):
        for ending, rest in (("ies", "y"), ("sses", "ss"), ("ing", ""), ("ed", ""), ("s", "")):
            if word.endswith(ending) and len(word) - len(ending) >= 3:
                word = word[: -len(ending)] + rest
                break
    return _GROUP.get(word) or (word.rstrip("e") if len(word) > 3 else word)


def content_words(text: str) -> list[str]:
    """The stems of the words that carry meaning, in order.

    Examples:
        >>> from multihop.english.word_stems import content_words
        >>> content_words("Who directed the movies?")
        ['directed', 'film']
    """
    return [stem(word) for word in _WORD.findall(text) if word.lower() not in _FUNCTION_WORDS]
