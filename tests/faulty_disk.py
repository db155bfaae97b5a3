"""A disk that fails: what is written to one module's files fits only so far, in pieces, or not at all."""

import errno
import os


class FaultyDisk:
    """Stands in for `os` in a module, with room for so many bytes more.

    It fails with `error`, having taken what fitted; writes of more than `piece` bytes are cut short. A file that
    shrinks gives its room back. With `stuck`, nothing can be cut off either while the disk is full.
    """

    def __init__(self, room, *, error=errno.ENOSPC, piece=1 << 30, stuck=False, syncs=True):
        self.room, self.error, self.piece, self.stuck, self.syncs = room, error, piece, stuck, syncs
        self.failed = False

    def __getattr__(self, name):
        return getattr(os, name)

    def _fail(self):
        self.failed = True
        raise OSError(self.error, os.strerror(self.error))

    def pwrite(self, file, data, at):
        data = bytes(data)[: self.piece]
        size = os.fstat(file).st_size
        inside = max(0, min(len(data), size - at))  # room that the file has already
        fits = min(len(data), inside + self.room)
        if not fits:
            self._fail()
        self.room -= max(0, fits - inside)
        return os.pwrite(file, data[:fits], at)

    def ftruncate(self, file, size):
        if self.failed and self.stuck:
            self._fail()
        self.room += max(0, os.fstat(file).st_size - size)
        os.ftruncate(file, size)

    def fsync(self, file):
        if not self.syncs:
            self._fail()
        os.fsync(file)

    def mend(self):
        self.room, self.failed, self.stuck, self.syncs = 1 << 30, False, False, True
