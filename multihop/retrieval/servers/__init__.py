"""Retrievers that search elsewhere: servers, asked by HTTP."""
