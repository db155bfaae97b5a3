"""The form of answer that a question leaves open: yes or no, or one of two things it names."""

import re

_AUXILIARY = re.compile(r"^(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would)\b", re.IGNORECASE)
_SMALL = "a an and at by de del for from in la of on or the to with"
_INSIDE_TITLES = frozenset(_SMALL.split())
_WORD = re.compile(r"[^\W_]\S*")
_TAIL = re.compile(
    r",? (?:(?:is|was|were|has) )?(?:(?:born|founded|formed|released|opened|happens?|happened|comes?|came) )?"
    r"(?:first|earlier|later|older|younger|(?:further|farther) (?:north|east|south|west))$"
)
_AFTER_LEAD_IN = re.compile(r"^[^,:]*[,:] ?(?:either |the |both )?(.+?),? or (?:the )?(.+)$")


def is_yes_or_no(question: str) -> bool:
    """True if the question wants yes or no."""
    return bool(_AUXILIARY.match(question.strip())) and not (" or " in question and "both" not in question)


def options(question: str) -> tuple[str, str] | None:
    """The two things a question lets us choose between, as it spells them."""
    text = _TAIL.sub("", re.sub(r"[?. ]$", "", question.strip()).strip())
    if not re.search(r" or |\b[Bb]etween\b|\bout of\b|^Of ", text):
        return None
    listed = _AFTER_LEAD_IN.search(text)
    if listed and _is_title(listed[1]) and _is_title(listed[2]):
        return listed[1], listed[2]
    for pattern in (
        r"(?:^|[,:] |\b(?:of|between|out of|is|was|than) )(?:(?:either|the|both) )?([^,:]+?),? or (?:the )?([^,]+?)$",
        r"\b(?:[Bb]etween|out of|[Oo]f) (?:(?:the|both|either) )?([^,]+?) (?:and|or) ([^,]+?)(?:,.*)?$",
        r"([A-Z\"][^,]*?),? or ([^,?]+)",
    ):
        match = re.search(pattern, text)
        if match and re.search(r"[A-Z\d]", match[1]) and re.search(r"[A-Z\d]", match[2]):
            return _trim(match[1]), _trim(match[2])
    return None


def _is_title(option: str) -> bool:
    """True if every word is written as titles write it, some of them with a capital."""
    words = _WORD.findall(option)
    small = [word for word in words if word[0].islower()]
    return len(small) < len(words) and _INSIDE_TITLES.issuperset(small)


def _trim(option: str) -> str:
    """The option without the question words before it."""
    option = option.strip()
    if not re.match(
        r"(?:which|what|who|whom|whose|when|where|is|are|was|were|do|does|did|has|have)\b", option, re.IGNORECASE
    ):
        return option
    words = option.split()
    lower = [index for index, word in enumerate(words) if word[0].islower() and word not in _INSIDE_TITLES]
    begins = lower[-1] + 1 if lower else int(bool(_AUXILIARY.match(option)))
    return " ".join(words[begins:]) or option
