"""A disk on which no file has room for more than some bytes."""

import contextlib
import resource


@contextlib.contextmanager
def no_room_for(size):
    """In the block, writing more than so many bytes to a file of this process fails as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
