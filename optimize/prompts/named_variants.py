"""Variants by name: ours, those of installed packages, and one's own."""

import re
from collections.abc import Sequence

from ...base import InputError
from ...base.by_name import Kind, find_by_name
from .variants import GIVEN, TOGETHER, VARIANTS, Variant

KIND = Kind("variant", "multihop.variants", "MODULE:VARIANT")


def variant_named(name: str) -> Variant:
    """The variant: of this library, of an installed package, or one's own as MODULE:VARIANT.

    Raises:
        InputError: There is none of that name; the message lists all.

    Examples:
        >>> from multihop.optimize.prompts.named_variants import variant_named
        >>> variant_named("labeled-3").what
        '3 demonstrations a step, made from gold'
    """
    return _checked(find_by_name(KIND, name, VARIANTS), name)


def variants_named(names: str, *, given: bool = False, finetuned: bool = False) -> list[str]:
    """The names in a list with commas; "all" are ours that nothing is missing for.

    Args:
        names: As on the command line.
        given: True if there are demonstrations of one's own.
        finetuned: True if somebody was named who fine-tunes.

    Examples:
        >>> from multihop.optimize.prompts.named_variants import variants_named
        >>> variants_named("zero-shot, labeled-3")
        ['zero-shot', 'labeled-3']
        >>> "given" in variants_named("all"), "given" in variants_named("all", given=True)
        (False, True)
    """
    if names.strip() != "all":
        return [name.strip() for name in names.split(",")]
    missing = {GIVEN: not given, TOGETHER: not finetuned}
    return [name for name in VARIANTS if not missing.get(name)]


def chosen_variants(variants: Sequence[str | Variant]) -> list[Variant]:
    """The variants, each once; no two may have the same name, under which their work is kept.

    Examples:
        >>> import dspy
        >>> from multihop.optimize import Variant
        >>> from multihop.optimize.prompts.named_variants import chosen_variants
        >>> mine = Variant(name="two-labels", what="2 demonstrations a step, made from gold", labels=2)
        >>> [variant.name for variant in chosen_variants(["zero-shot", mine, "zero-shot"])]
        ['zero-shot', 'two-labels']
    """
    chosen: dict[str, Variant] = {}
    for each in variants:
        variant = variant_named(each) if isinstance(each, str) else _checked(each, repr(each))
        if chosen.setdefault(variant.name, variant) is not variant:
            raise InputError(f"two variants are called '{variant.name}'; their work would be kept in the same place.")
    return list(chosen.values())


def _checked(variant: object, name: str) -> Variant:
    if not isinstance(variant, Variant):
        raise InputError(f"'{name}' is not a variant, but a {type(variant).__name__}; make one with Variant(...).")
    if VARIANTS.get(variant.name, variant) is not variant:
        raise InputError(
            f"'{name}' calls itself '{variant.name}', as a variant of multihop is called; give it another name."
        )
    if not re.fullmatch(r"\w[\w.+-]*", variant.name):
        raise InputError(f"a variant's name is made of letters, digits and . + - _, unlike '{variant.name}'.")
    return variant
