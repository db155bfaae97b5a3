"""Late interaction: a vector for every token, by colbert-ai, as an index and as what orders other retrievers' hits."""
