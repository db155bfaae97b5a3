"""The inverted index of BM25: terms, counts, postings, and the search over them."""
