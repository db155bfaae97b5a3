"""The form in which the official scripts compare answers.

Lower case, then no ASCII punctuation, then no English articles, then single spaces: SQuAD's rule, which the scripts of
HotpotQA, 2WikiMultiHopQA and MuSiQue all repeat.
"""

import re
import string

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


def normal_form(answer: str) -> str:
    """The answer as it is compared.

    Examples:
        >>> from multihop.english.normal_form import normal_form
        >>> normal_form("The  Beatles' A-side!")
        'beatles aside'
    """
    return _without_articles(answer.lower().translate(_NO_PUNCTUATION))


def has_form(text: str, form: str) -> bool:
    """True if an answer stands in the text as whole words, both as they are compared; an empty one stands nowhere.

    Args:
        text: The text.
        form: The normal form of the answer.

    Examples:
        >>> from multihop.english.normal_form import has_form
        >>> has_form("It is by the Beatles.", "beatles"), has_form("Beatlesque", "beatles"), has_form("It is.", "")
        (True, False, False)
    """
    if not form:
        return False
    words = text.lower().translate(_NO_PUNCTUATION)
    if max(form.split(), key=len) not in words:  # as a rule it does not, and articles take most of the time
        return False
    return f" {form} " in f" {_without_articles(words)} "


def _without_articles(words: str) -> str:
    return " ".join(_ARTICLES.sub(" ", words).split())
