"""The LMs that this machine can ask, in a terminal: each as a command takes it."""

import shlex

from rich.console import Console
from rich.markup import escape

from ...base.plurals import say_count
from ...lms.usable import KEYS, FoundFile, FoundModel, Usable
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
            print_line(f"  {shlex.quote(file.lm)}  {', '.join([_size(file.bytes), *_known(file)])}", console)
    if found.folders:
        note = "" if found.runs_folders else "they need PyTorch: pip install 'multihop[train]'"
        _title(say_count(len(found.folders), "model folder"), note, console)
        for folder in found.folders:
            cloned = [f"cloned from {folder.cloned_from}"] if folder.cloned_from else []
            facts = [_size(folder.bytes), *_known(folder), *cloned]
            print_line(f"  {shlex.quote(folder.lm)}  {', '.join(facts)}", console)
    for server in found.servers:
        _title(f"{server.kind} at {server.address}", "" if server.models else "it has no model", console)
        for model in server.models:
            print_line(f"  {shlex.quote(model.lm)}  {', '.join(_known(model))}".rstrip(), console)
    if found.keys:
        _title("keys", "", console)
        for provider in found.keys:
            print_line(f"  {provider}/MODEL  ({KEYS[provider]} is set)", console)
    if not (found.files or found.folders or found.servers or found.keys):
        print_line(
            "no model file, no server and no key was found: name a folder of GGUF files with MULTIHOP_MODELS, "
            "start a server, or set a provider's key.",
            console,
        )
    models: list[FoundFile | FoundModel] = [
        *found.files,
        *found.folders,
        *(model for server in found.servers for model in server.models),
    ]
    if any(model.thinks == "default" for model in models):
        print_line("those that think by default are told not to; --lm-set thinking=true lets them", console)
    first = next((names[0] for names in _names(found) if names), "local")
    print_line(f'to ask one: multihop ask "Who directed it?" -c corpus.jsonl --lm {shlex.quote(first)}', console)


def _names(found: Usable) -> list[list[str]]:
    files = [file.lm for file in found.files] if found.runs_files else []
    folders = [folder.lm for folder in found.folders] if found.runs_folders else []
    return [files, folders, [model.lm for server in found.servers for model in server.models]]


_THINKS = {"asked": "thinks if it is asked to", "default": "thinks by default", "always": "always thinks"}


def _known(model: FoundFile | FoundModel) -> list[str]:
    """The facts that are known of a model: its family, its context, when it thinks."""
    context = None if model.context is None else f"context {model.context:,}"
    return [each for each in (model.family, context, _THINKS.get(model.thinks or "never")) if each]


def _title(text: str, note: str, console: Console) -> None:
    console.print(f"[bold]{text}[/]" + (f"  [dim]{escape(note)}[/]" if note else ""), highlight=False, soft_wrap=True)


def _size(count: int) -> str:
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.0f} MB"
