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
    return " ".join(_ARTICLES.sub(" ", answer.lower().translate(_NO_PUNCTUATION)).split())
