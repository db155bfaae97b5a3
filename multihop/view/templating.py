"""The templates of the pages, plots and notebooks; whatever is put into one is escaped."""

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

HOME = Path(__file__).parent
"""The folder of this room, with its templates, styles and scripts."""


def open_template(name: str, *, beside: Path | None = None) -> Template:
    """A template by its place under templates/, or in another folder before it."""
    templates = Environment(
        loader=FileSystemLoader([*([] if beside is None else [beside]), HOME / "templates"]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return templates.get_template(name)
