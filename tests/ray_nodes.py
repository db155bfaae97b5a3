"""A Ray cluster of several nodes on this machine, for a module's tests; it is stopped with them."""

import contextlib
import importlib.util
import os

import pytest

HAS_RAY = importlib.util.find_spec("ray") is not None
needs_ray = pytest.mark.skipif(not HAS_RAY, reason="the extra [ray] is not installed")
SMALL = {"num_cpus": 1, "object_store_memory": 80 << 20}


@contextlib.contextmanager
def start_nodes(count):
    """The cluster, with one CPU on each node; nobody is connected with it yet."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={**SMALL, "include_dashboard": False})
    try:
        for _ in range(count - 1):
            cluster.add_node(**SMALL)
        yield cluster
    finally:
        cluster.shutdown()
