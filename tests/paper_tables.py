"""The experiments that are a paper's."""

from multihop.experiments import experiment_names

OF_PAPERS = [name for name in experiment_names() if not name.startswith(("real-", "cloned-", "zero-", "protocol-"))]
