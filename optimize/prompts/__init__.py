"""Programs compiled: the variants, the examples for each step, and the study that compares them."""
