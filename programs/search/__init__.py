"""Search as plain control flow: it knows no prompt, no LM, no retriever."""

from ...base.imports import lazily

__getattr__, __dir__, __all__ = lazily(__name__)
