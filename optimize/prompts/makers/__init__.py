"""What perfect steps answer, role by role, from a question's gold and what a retriever finds on the way."""
