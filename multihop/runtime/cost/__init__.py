"""Tokens, prices, bills and budgets."""
