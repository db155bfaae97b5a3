"""Compiling programs: cloning, and artefacts that applications load."""

from typing import TYPE_CHECKING

from ..base.lazily import lazily

if TYPE_CHECKING:
    from .artefact import load as load
    from .artefact import save as save
    from .cloning.chat_file import chat_rows as chat_rows
    from .cloning.cloning import Cloning as Cloning
    from .cloning.cloning import clone as clone
    from .cloning.finetuning import finetune as finetune
    from .prompts.demonstrations import with_demonstrations as with_demonstrations
    from .prompts.study import Outcome as Outcome
    from .prompts.study import Study as Study
    from .prompts.study import compile_variants as compile_variants
    from .prompts.variants import VARIANTS as VARIANTS
    from .prompts.variants import Tools as Tools
    from .prompts.variants import Variant as Variant
else:
    __getattr__, __dir__, __all__ = lazily(
        __name__,
        {
            "artefact": "load save",
            "cloning.chat_file": "chat_rows",
            "cloning.cloning": "Cloning clone",
            "cloning.finetuning": "finetune",
            "prompts.demonstrations": "with_demonstrations",
            "prompts.study": "Outcome Study compile_variants",
            "prompts.variants": "VARIANTS Tools Variant",
        },
    )
