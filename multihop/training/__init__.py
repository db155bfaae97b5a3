"""The encoder trained: lessons from gold, the network, and the files it becomes."""
