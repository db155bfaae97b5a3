import pytest


@pytest.fixture(autouse=True)
def pauses(monkeypatch):
    """No test waits between two attempts; what would have been waited for is here."""
    waited = []

    def pause(attempt, asked_for=0.0):
        waited.append((attempt, asked_for))
        return 0.0

    monkeypatch.setattr("multihop.retrieval.servers.connection.pause", pause)
    return waited
