"""Gold read once: the hops of every set's questions, each with the sentence that holds its answer."""

from ...base.lazily import lazily

__getattr__, __dir__, __all__ = lazily(__name__)
