"""What a perfect step would say, signature by signature, made from a question's gold and what a retriever finds."""
