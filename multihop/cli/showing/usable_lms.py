"""The LMs that this machine can ask, in a terminal: each as a command takes it."""

import shlex

from rich.console import Console
from rich.markup import escape

from ...lms.usable import KEYS, FoundModel, Usable
from .output import print_line


def show_usable(found: Usable, console: Console) -> None:
    """Print what is built in, every server and provider, and how one of them is asked."""
    _title("built in", "no key, no server, no download", console)
    print_line("  local      a reader of 22 million parameters", console)
    print_line("  lexical    word overlap, for comparison", console)
    for server in found.servers:
        _title(f"{server.kind} at {server.address}", "" if server.models else "it has no model", console)
        for model in server.models:
            print_line(f"  {shlex.quote(model.lm)}  {', '.join(_known(model))}".rstrip(), console)
    if found.keys:
        _title("keys", "", console)
        for provider in found.keys:
            print_line(f"  {provider}/MODEL  ({KEYS[provider]} is set)", console)
    if not (found.servers or found.keys):
        print_line(
            "no server and no key was found: start a server, or set a provider's key.",
            console,
        )
    models = [model for server in found.servers for model in server.models]
    if any(model.thinks == "default" for model in models):
        print_line("those that think by default are told not to; --lm-set thinking=true lets them", console)
    first = models[0].lm if models else "local"
    print_line(f'to ask one: multihop ask "Who directed it?" -c corpus.jsonl --lm {shlex.quote(first)}', console)


_THINKS = {"asked": "thinks if it is asked to", "default": "thinks by default", "always": "always thinks"}


def _known(model: FoundModel) -> list[str]:
    """The facts that are known of a model: its family, its context, when it thinks."""
    context = None if model.context is None else f"context {model.context:,}"
    return [each for each in (model.family, context, _THINKS.get(model.thinks or "never")) if each]


def _title(text: str, note: str, console: Console) -> None:
    console.print(f"[bold]{text}[/]" + (f"  [dim]{escape(note)}[/]" if note else ""), highlight=False, soft_wrap=True)
