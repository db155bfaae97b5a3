"""The network in PyTorch: its steps of training, and the files it is exported to."""
