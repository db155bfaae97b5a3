"""An encoder learns a corpus by questions made of its pages: small maps over what its networks say."""
