"""The grounds of an answer: how sure it is, which sentences say so, and when there had better be none."""
