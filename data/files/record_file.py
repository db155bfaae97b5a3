"""The records of a file: JSON, CSV, TSV or Parquet, streamed and with the place of each."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from ...base import DamagedFileError, InputError
from ..skipped import OnBad, refuse
from .json_records import read_json
from .lines import ENDINGS, open_bytes, read_lines
from .record import Record
from .table_records import read_table

KINDS = {
    ".json": "json", ".jsonl": "json", ".ndjson": "json", ".csv": "table", ".tsv": "table", ".parquet": "parquet",
}  # fmt: skip
"""The kind of a file by the ending of its name; text may end in .gz or .bz2 besides."""


def read_records(path: str | os.PathLike[str], on_bad: OnBad = refuse) -> Iterator[Record]:
    r"""Every record of the file: JSON lines, a JSON array, an object that wraps one, CSV, TSV (also packed), Parquet.

    The name's ending says what the file is; where it does not, the content does. Memory holds one record at a time
    (Parquet: one batch), except for a JSON array, which is one value and is read whole.

    Args:
        path: The file.
        on_bad: Told of each record that cannot be read; it raises, or the record is left out.

    Examples:
        >>> import pathlib, tempfile
        >>> from multihop.data.files.record_file import read_records
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "people.jsonl"
        >>> _ = path.write_text('{"name": "Ada"}\n\n{"name": "Grace"}\n')
        >>> [record.text("name") for record in read_records(path)]
        ['Ada', 'Grace']
    """
    file = Path(path).expanduser()
    return {"json": read_json, "table": read_table, "parquet": _read_parquet}[_kind(file)](file, on_bad)


def kind_by_name(path: Path) -> str | None:
    """The kind of a file as its name tells it; None if it does not.

    Examples:
        >>> from pathlib import Path
        >>> from multihop.data.files.record_file import kind_by_name
        >>> kind_by_name(Path("people.csv.gz")), kind_by_name(Path("README.md"))
        ('table', None)
    """
    return KINDS.get((Path(path.stem) if path.suffix in ENDINGS else path).suffix.lower())


def _kind(path: Path) -> str:
    named = kind_by_name(path)
    if named:
        return named
    with open_bytes(path) as file:
        if file.read(4) == b"PAR1":
            return "parquet"
    first = next((line for _, line in read_lines(path) if line.strip()), "").strip()
    if first.startswith(("{", "[")):
        return "json"
    if "\t" in first or re.fullmatch(r'("?[\w.-]+"?[,;])+"?[\w.-]+"?', first):
        return "table"
    raise InputError(
        f"{path}: the content is not recognised; give JSON lines, a JSON array, CSV or TSV with a header line, "
        "or Parquet."
    )


def _read_parquet(path: Path, on_bad: OnBad) -> Iterator[Record]:
    import pyarrow
    import pyarrow.parquet

    open_bytes(path).close()
    row = 0
    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=1024):
                for fields in batch.to_pylist():
                    row += 1
                    yield Record(fields, f"{path}, row {row}")
    except (pyarrow.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0]
        raise DamagedFileError(f"{path}: not a whole Parquet file, or damaged after row {row} ({reason}).") from error
