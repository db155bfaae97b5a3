"""Indexes whose corpus changes: passages come and go, and the ranking is that of an index built anew."""
