from pathlib import Path

import pytest

SHARED = Path(__file__).parents[3] / "shared" / "data"


@pytest.fixture
def shared_data():
    """The folder of real questions and corpora that may be beside the repository."""
    if not (SHARED / "hotpotqa.dev.jsonl.gz").exists():
        pytest.skip("the real questions are not here: no ../shared/data beside the repository")
    return SHARED
