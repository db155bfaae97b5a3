"""Pictures of what is printed: texts kept as files in tests/golden, which show a change of looks as a difference."""

from pathlib import Path

PICTURES = Path(__file__).with_name("golden")
filling = False  # as `pytest --fill-pictures` sets it


def check_picture(name, text):
    """Fails where the text is not what tests/golden/NAME.txt shows; `pytest --fill-pictures` writes the file anew."""
    file = PICTURES / f"{name}.txt"
    lines = [line.rstrip() for line in text.splitlines()]
    if filling:
        file.parent.mkdir(exist_ok=True)
        file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    assert file.exists(), f"no picture {file.name} yet: pytest --fill-pictures makes it"
    assert lines == file.read_text(encoding="utf-8").splitlines(), "pytest --fill-pictures writes it anew"
