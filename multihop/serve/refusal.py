"""The refusal of a request: a status, and one sentence that gives the reason."""


class Refusal(Exception):
    """Ends a request with a status and a sentence.

    Examples:
        >>> from multihop.serve.refusal import Refusal
        >>> Refusal(413, "too much.").status
        413
    """

    def __init__(self, status: int, sentence: str, **headers: str) -> None:
        """Headers are written with "_" for "-"."""
        super().__init__(sentence)
        self.status, self.sentence = status, sentence
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}
