"""Retrievers that ask a server."""
