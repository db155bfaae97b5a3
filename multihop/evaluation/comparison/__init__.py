"""Two runs or more, compared question by question."""
