import pytest
from written_runs import write_run


@pytest.fixture
def a_run(tmp_path):
    """Writes runs into folders of this test."""

    def write(name, rows, **header):
        return write_run(tmp_path / name, rows, **header)

    return write
