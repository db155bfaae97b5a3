"""The encoder trained: lessons from gold, the network, and the files it becomes."""

EARLIER = ", in an earlier training"
"""The ending, in an encoder's manifest, of the sources of what a training began as."""
