"""Known question sets with their corpora: the list of them, and the fetching of one into a folder."""

from ...base.lazily import lazily

__getattr__, __dir__, __all__ = lazily(__name__)
