"""Sentence encoders that others have trained: e5, Contriever, BGE and whatever is laid out as they are."""
