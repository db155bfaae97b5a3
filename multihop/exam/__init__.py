"""Makes multi-hop questions about any corpus from its own pages, and checks them."""

from ..base.lazily import lazily

__getattr__, __dir__, __all__ = lazily(__name__)
