"""The LM that knows a question set's gold: what it sees of a request, and how it errs."""
