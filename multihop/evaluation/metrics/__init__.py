"""One kind of metric a file; each works in a run and as a DSPy metric."""

from ...base.imports import lazily

__getattr__, __dir__, __all__ = lazily(__name__)
