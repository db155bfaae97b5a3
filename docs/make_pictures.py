"""Makes the pictures of docs/pictures from real runs over the little encyclopedia, without a key.

make pictures
python docs/make_pictures.py FOLDER    # keeps the runs there, and makes only those that are missing

Pages are opened in Chromium and bring their fonts; the terminal is drawn in DejaVu Sans Mono, as Linux has it. What is
measured in seconds differs from one making to the next, all else is the same.
"""

import contextlib
import io
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from chromium import chromium
from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

from multihop import Little
from multihop.data import write_questions

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PICTURES = Path(__file__).with_name("pictures")
LITTLE = ("--corpus", "little", "--questions", "little", "--quiet")
RUNS = {
    "tor": ("evaluate", "tor", *LITTLE, "--concurrency", "1"),  # so that a question's seconds are its own
    "one-step": ("evaluate", "one-step", *LITTLE, "--concurrency", "1"),
    "mzqa": ("evaluate", "mzqa", "--corpus", "little", "--questions", "two.jsonl", "--quiet"),
    "methods": ("reproduce", str(PICTURES / "methods.toml"), "--lm", "local", "--quiet"),
}
"""The runs that are shown, by their folders."""
VIEWS = {
    "tor.html": ("tor", "--corpus", "little"),
    "mzqa.html": ("mzqa", "--corpus", "little"),
    "compared.html": ("one-step", "tor"),
    "methods.html": ("methods",),
}
"""The pages, each with what `multihop view` makes it of."""
ASKED = "In which city was the architect of the Sydney Opera House born?"
IN_TERMINAL = "Who was the father of the woman who wrote a program for the Analytical Engine?"
COLUMNS = 100
COLOURS = ["17181a", "e8e6e1", "383a3e", "f08278", "8fce8c", "e9c66a", "8fbde8", "cda0e1", "7dcdcd", "a8a49b"]
PAPER, INK, *ANSI = (tuple(bytes.fromhex(each)) for each in COLOURS)
TERMINAL = TerminalTheme(PAPER, INK, ANSI)  # type: ignore[arg-type]
"""A dark terminal in the pages' colours."""


class Picture(NamedTuple):
    """A picture of a page: its first screen, or the screen from an element on."""

    name: str
    page: str
    address: str = ""
    shown: str = "#row-0"
    """The element that has to be there before it is taken."""
    start: str = ""
    """The element that is on top; the page's own top without one."""
    width: int = 1280
    height: int = 900
    dark: bool = False


QUESTION = {"page": "tor.html", "address": "#q=opera-house-architect", "shown": "#question .map svg"}
OF_PAGES = (
    Picture("run", "tor.html"),
    Picture("tor", **QUESTION),
    Picture("tor-dark", **QUESTION, dark=True),
    Picture("tor-phone", **QUESTION, width=390, height=844),
    Picture("mzqa", "mzqa.html", "#q=night-watch-birthplace", shown="#question .map svg", height=1200),
    Picture("compared", "compared.html"),
    Picture("study", "methods.html", shown=".study", height=1064),
)


def main(folder: Path) -> None:
    """Run what is shown, and take the pictures."""
    write_questions(folder / "two.jsonl", list(Little().questions())[14:16])
    for name, words in RUNS.items():
        multihop(*words, "--out", name, at=folder)
    for page, words in VIEWS.items():
        multihop("view", *words, "--to", page, at=folder)
    with chromium() as browser:
        for picture in OF_PAGES:
            with opened(browser, picture) as page:
                page.goto(f"{(folder / picture.page).as_uri()}{picture.address}")
                page.wait_for_selector(picture.shown)
                take(page, picture)
        take_served(browser, folder)
        take_terminal(browser, folder)


def multihop(*words: str, at: Path, **env: str) -> str:
    """The output of the command, run in the folder."""
    command = [sys.executable, "-m", "multihop", *words]
    return subprocess.run(command, cwd=at, env=os.environ | env, check=True, stdout=subprocess.PIPE, text=True).stdout


@contextlib.contextmanager
def opened(browser: "Browser", picture: Picture) -> Iterator["Page"]:
    """An empty page of the picture's size, twice as fine."""
    context = browser.new_context(
        viewport={"width": picture.width, "height": picture.height},
        color_scheme="dark" if picture.dark else "light",
        device_scale_factor=2,
        reduced_motion="reduce",
    )
    yield context.new_page()
    context.close()


def take(page: "Page", picture: Picture) -> None:
    """Write the picture of the page as it is."""
    page.evaluate("document.fonts.ready")
    if picture.start:
        page.locator(picture.start).first.evaluate("(element) => element.scrollIntoView({block: 'start'})")
    page.screenshot(path=PICTURES / f"{picture.name}.png")


def take_served(browser: "Browser", folder: Path) -> None:
    """The served page, with a question that it has answered: on a desk, and on a phone in the dark."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "multihop", "serve", "tor", "one-step", "--corpus", "little", "--port", str(port)]
    with subprocess.Popen(command, cwd=folder, stderr=subprocess.DEVNULL) as server:
        try:
            _wait_for(f"http://127.0.0.1:{port}/healthz")
            for picture in (
                Picture("served", ""),
                Picture("served-phone", "", width=390, height=844, dark=True),
            ):
                with opened(browser, picture) as page:
                    page.goto(f"http://127.0.0.1:{port}/")
                    page.fill("#question", ASKED)
                    page.click("#ask")
                    page.wait_for_selector("#turn .answer")
                    page.locator("#turn summary", has_text="The search").click()
                    page.wait_for_selector("#turn .map svg")
                    page.evaluate("scrollTo(0, 0)")
                    take(page, picture)
        finally:
            server.terminate()


def take_terminal(browser: "Browser", folder: Path) -> None:
    """An answer in a terminal, as `multihop ask` prints it."""
    said = multihop(
        *("ask", IN_TERMINAL, "--program", "tor", "--corpus", "little", "--quiet"),
        at=folder,
        FORCE_COLOR="1",
        TERM="xterm-256color",
        COLUMNS=str(COLUMNS),
    )
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), color_system="standard", force_terminal=True)
    typed = Text.assemble(("$ ", "dim"), f'multihop ask "{IN_TERMINAL}" \\\n      --program tor --corpus little\n')
    console.print(typed, Text.from_ansi(said.rstrip()), sep="\n", highlight=False)
    style = f"""
        body {{ margin: 0; background: {TERMINAL.background_color.hex} }}
        pre {{ display: inline-block; margin: 0; padding: 24px 28px; color: {TERMINAL.foreground_color.hex};
               font: 14px/1.35 "DejaVu Sans Mono", monospace }}"""
    drawn = console.export_html(theme=TERMINAL, inline_styles=True, code_format="<pre>{code}</pre>")
    with opened(browser, Picture("terminal", "")) as page:
        page.set_content(f"<!doctype html><meta charset=utf-8><style>{style}</style>{drawn}")
        page.locator("pre").screenshot(path=PICTURES / "terminal.png")


def _wait_for(address: str) -> None:
    while True:
        with contextlib.suppress(OSError), urllib.request.urlopen(address):
            return
        time.sleep(0.1)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        main(Path(*sys.argv[1:] or [scratch]))
