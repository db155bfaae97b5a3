"""Rules for English texts: sentences, word stems, titles before texts, and answers as metrics compare them."""

import re
import string
from functools import lru_cache

_SHORT_FORMS = (  # of one length each, since a pattern looks back so far only
    "Mr|Dr|St|Jr|Sr|Mt|Lt|No|no|vs|ca|fl",
    "Mrs|Ltd|Rev|Col|Gen|Maj|Sgt|Gov|Hon|Inc|Jan|Feb|Aug|Oct|Nov|Dec|e[.]g|i[.]e",
    "Capt|Prof|Sept",
    "a[.]k[.]a",
)
_NO_SHORT_FORM = "".join(rf"(?<!\b(?:{forms})\.)" for forms in _SHORT_FORMS)
# Nor does a full stop after an initial end a sentence, or one after a letter alone: "(d. 1812)".
_END = re.compile(
    rf"(?<![ (.][A-Z]\.)(?<!^[A-Z]\.)(?<![\s([–][a-z]\.){_NO_SHORT_FORM}"
    r"(?:(?<=[.!?])|(?<=[.!?][\"'”’)]))\s+(?=[\"'“‘(]*[A-Z0-9])"
)
Span = tuple[int, int]
"""A stretch of a text: where it begins, and where it has ended."""


def sentence_spans(text: str) -> list[Span]:
    """The span of each sentence."""
    ends = [(found.start(), found.end()) for found in _END.finditer(text)]
    starts = [0, *(end for _, end in ends)]
    stops = [*(start for start, _ in ends), len(text)]
    return [(start, stop) for start, stop in zip(starts, stops, strict=True) if text[start:stop].strip()]


def find_words(words: str, text: str) -> re.Match[str] | None:
    """The first place where the text has these words whole, one after the other, in any case."""
    return re.search(rf"(?<!\w){re.escape(words)}(?!\w)", text, re.IGNORECASE)


def split_sentences(text: str) -> list[str]:
    """The sentences of a paragraph, each on one line."""
    return [" ".join(text[start:end].split()) for start, end in sentence_spans(text)]


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
    """The stems of the words that carry meaning, in order."""
    return [stem(word) for word in _WORD.findall(text) if word.lower() not in _FUNCTION_WORDS]


BAR = " | "
LONGEST_TITLE = 150
"""Characters; a bar that comes later is part of the text."""


def split_title(passage: str) -> tuple[str, str]:
    """The title and the text of a passage that is written "title | text"; the title is empty where there is none."""
    title, bar, text = passage.partition(BAR)
    return (title, text) if bar and len(title) < LONGEST_TITLE else ("", passage)


def split_quoted_title(text: str) -> tuple[str, str]:
    """The title and the rest of a text that opens with its title in quotes, on a line of its own."""
    first, line_break, rest = text.partition("\n")
    if line_break and len(first) > 1 and first[0] == first[-1] == '"':
        return first[1:-1], rest
    return "", text


_ARTICLES = re.compile(r"\b(a|an|the)\b")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


def normal_form(answer: str) -> str:
    """The answer as metrics compare it: lower case, without punctuation and articles."""
    return _without_articles(answer.lower().translate(_NO_PUNCTUATION))


def has_form(text: str, form: str) -> bool:
    """True if an answer, given in its normal form, is in the text as whole words; an empty one is nowhere."""
    if not form:
        return False
    words = text.lower().translate(_NO_PUNCTUATION)
    if max(form.split(), key=len) not in words:  # as a rule it does not, and articles take most of the time
        return False
    return f" {form} " in f" {_without_articles(words)} "


def _without_articles(words: str) -> str:
    return " ".join(_ARTICLES.sub(" ", words).split())


REFUSALS = frozenset({
    "", "unanswerable", "not answerable", "cannot answer", "cannot be answered", "can not be answered",
    "question cannot be answered", "unknown", "not known", "no answer", "noanswer", "none", "na", "i do not know",
    "i dont know", "dont know", "do not know", "not enough information", "insufficient information", "not mentioned",
    "not given", "no information",
})  # fmt: skip
"""Answers that say that there is none, in their normal forms."""


def refuses(answer: str) -> bool:
    """True if the whole answer, in its normal form, is empty or one of `REFUSALS`."""
    return normal_form(answer) in REFUSALS
