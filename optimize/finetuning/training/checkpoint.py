"""A training's state on the disk, so that a training that was killed goes on where it was."""

import errno
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import ujson

from ....base import DamagedFileError, InputError, MismatchError, read_small, writing

SETTINGS, STATE, BEST = "settings.json", "state.pt", "best.pt"


class Checkpoints:
    """The folder of one training's state; each file of it is written whole or not at all."""

    def __init__(self, folder: Path, settings: Mapping[str, Any]) -> None:
        """Open the folder, which need not be there.

        Args:
            folder: Where the state is kept.
            settings: All that decides how the training goes.

        Raises:
            MismatchError: Another training was begun there; the message names what differs.
        """
        self.folder = folder
        try:
            begun: Any = ujson.loads(read_small(folder / SETTINGS))
        except FileNotFoundError:
            begun = None
        except (OSError, ValueError):
            raise DamagedFileError(
                f"{folder / SETTINGS} cannot be read; remove {folder} to begin the training again."
            ) from None
        given = ujson.loads(ujson.dumps(dict(settings)))
        if begun is not None:
            for name in {**begun, **given}:
                if begun.get(name) != given.get(name):
                    raise MismatchError(
                        f"{folder} holds a training that was begun with {name} {_shown(begun.get(name))}, and now it "
                        f"is {_shown(given.get(name))}; give what it was, or remove the folder to begin again."
                    )
            return
        with writing(folder / SETTINGS) as file:
            file.write(ujson.dumps(given, indent=2, escape_forward_slashes=False) + "\n")

    def read(self, name: str) -> Any:
        """The state, or None where none was written yet."""
        import torch

        path = self.folder / name
        if not path.exists():
            return None
        try:
            return torch.load(path, map_location="cpu", weights_only=True)
        except Exception as error:  # of the format's many layers
            raise DamagedFileError(f"{path} is damaged; remove {self.folder} to begin the training again.") from error

    def write(self, name: str, state: Any) -> None:
        """Write the state in the place of the last one.

        Raises:
            InputError: The disk does not take it; the last one is there as it was.
        """
        import torch

        with writing(self.folder / name, "wb") as file, disk_errors():
            torch.save(state, file)

    def remove(self) -> None:
        """Remove the folder, once the result is written."""
        shutil.rmtree(self.folder, ignore_errors=True)


@contextmanager
def disk_errors() -> Iterator[None]:
    """A block in which a disk that does not take what libraries write is an `OSError`, as everywhere.

    Examples:
        >>> from multihop.optimize.finetuning.training.checkpoint import disk_errors
        >>> with disk_errors():
        ...     raise ValueError("I/O error: No space left on device (os error 28)")
        Traceback (most recent call last):
        OSError: [Errno 28] No space left on device
    """
    try:
        yield
    except (InputError, OSError):
        raise
    except Exception as error:
        cause: BaseException | None = error
        while cause is not None:
            if isinstance(cause, OSError) and cause.errno is not None:
                raise cause from error
            cause = cause.__cause__ or cause.__context__
        if found := re.search(r"os error (\d+)", str(error)):
            raise OSError(int(found[1]), os.strerror(int(found[1]))) from error
        if "PytorchStreamWriter" in str(error):  # it tells no cause
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)) from error
        raise


def _shown(value: Any) -> str:
    return ujson.dumps(value, escape_forward_slashes=False)
