"""The encoder's heads: outputs for a passage as a whole, and for each of its tokens."""

POOLED = ("relevant", "continue", "enough", "none", "span", "yes", "no")
"""Heads for the whole passage: it helps, it leads on, it completes what is known; and the place of the answer: nowhere
yet, in a span of the passage, or yes, or no."""
TOKENS = ("useful", "kept", "start", "end")
"""Heads for each token: it brings the answer closer, belongs to the next query, begins the answer, ends it."""
