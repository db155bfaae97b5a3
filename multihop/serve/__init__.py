"""Serves programs and indexes to other processes."""
