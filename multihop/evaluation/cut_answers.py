"""Answers that were cut off at their most tokens, counted: DSPy would warn of each across the line of progress."""

import logging

_LOGGER = "dspy.clients.lm"
_BEGINNING = "LM response was truncated"


class CutAnswers(logging.Filter):
    """Counts DSPy's warnings of such answers, from its start to its stop, instead of having them written.

    Examples:
        >>> import logging
        >>> from multihop.evaluation.cut_answers import CutAnswers
        >>> cut = CutAnswers()
        >>> cut.start()
        >>> logging.getLogger("dspy.clients.lm").warning("LM response was truncated; increase max_tokens.")
        >>> cut.stop()
        >>> cut.count
        1
    """

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def filter(self, record: logging.LogRecord) -> bool:
        """False for such a warning."""
        cut = record.getMessage().startswith(_BEGINNING)
        self.count += cut
        return not cut

    def start(self) -> None:
        """From now on they are counted."""
        logging.getLogger(_LOGGER).addFilter(self)

    def stop(self) -> None:
        """From now on they are written again."""
        logging.getLogger(_LOGGER).removeFilter(self)
