"""What the encoder says of a passage as a whole, and of each of its tokens."""

POOLED = ("relevant", "continue", "enough", "none", "span", "yes", "no")
"""Whether the passage helps, leads on, completes what is known; and where the answer is: nowhere yet, in a span of the
passage, or yes, or no."""
TOKENS = ("useful", "kept", "start", "end")
"""Whether the token brings the answer closer, belongs to the next query, begins the answer, ends it."""
