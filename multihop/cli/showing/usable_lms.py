"""The LMs that this machine can ask, in a terminal: each as a command takes it."""

import shlex

from rich.console import Console

from ...base.plurals import say_count
from ...lms.usable import KEYS, Usable
from .output import print_line


def show_usable(found: Usable, console: Console) -> None:
    """Print what is built in, every file, server and provider, and how one of them is asked."""
    _title("built in", "no key, no server, no download", console)
    print_line("  local      a reader of 22 million parameters", console)
    print_line("  lexical    word overlap, for comparison", console)
    if found.files:
        note = "" if found.runs_files else "they need llama.cpp: pip install 'multihop[llama]'"
        _title(say_count(len(found.files), "model file"), note, console)
        for file in found.files:
            print_line(f"  {shlex.quote(file.lm)}  {_size(file.bytes)}", console)
    for server in found.servers:
        _title(f"{server.kind} at {server.address}", "" if server.lms else "it has no model", console)
        for name in server.lms:
            print_line(f"  {shlex.quote(name)}", console)
    if found.keys:
        _title("keys", "", console)
        for provider in found.keys:
            print_line(f"  {provider}/MODEL  ({KEYS[provider]} is set)", console)
    if not (found.files or found.servers or found.keys):
        print_line(
            "no model file, no server and no key was found: name a folder of GGUF files with MULTIHOP_MODELS, "
            "start a server, or set a provider's key.",
            console,
        )
    first = next((names[0] for names in _names(found) if names), "local")
    print_line(f'to ask one: multihop ask "Who directed it?" -c corpus.jsonl --lm {shlex.quote(first)}', console)


def _names(found: Usable) -> list[list[str]]:
    files = [file.lm for file in found.files] if found.runs_files else []
    return [files, [name for server in found.servers for name in server.lms]]


def _title(text: str, note: str, console: Console) -> None:
    console.print(f"[bold]{text}[/]" + (f"  [dim]{note}[/]" if note else ""), highlight=False, soft_wrap=True)


def _size(count: int) -> str:
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.0f} MB"
