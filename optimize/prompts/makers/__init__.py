"""Makes the answers of perfect steps, signature by signature, from a question's gold and what a retriever finds."""
