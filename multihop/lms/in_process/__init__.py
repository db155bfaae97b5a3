"""The things that every engine which computes a model in this process has in common: requests, answers, contents."""
