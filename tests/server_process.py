"""A server in a process of its own, for tests that wait until it is there."""

import time

import httpx
import pytest
from time_limit import LIMIT


def healthy(address, process):
    """Waits until the server is there, for what it says of itself."""
    end = time.monotonic() + LIMIT
    while time.monotonic() < end and process.is_alive():
        try:
            return httpx.get(f"{address}/healthz").json()
        except httpx.TransportError:
            time.sleep(0.02)
    return pytest.fail("the server did not come up")
