"""The model that a training begins with: a transformers folder, a name on the hub, or a GGUF file read back."""

from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

from ....base import InputError, missing_extra, reading
from ....base.errors import first_line
from ....base.terminal import muted_errors

WEIGHTS = ("*.safetensors", "*.bin")
"""The files of a folder that hold weights."""


class BaseModel(NamedTuple):
    """A causal language model with its tokenizer."""

    name: str
    """The name on the hub, or the path."""
    network: Any
    """The weights, in the form in which they came."""
    tokenizer: Any
    """Its tokenizer, which has a chat template."""
    context: int | None
    """The tokens that it can read; None where it does not say."""
    digest: str
    """A digest of the weights' files, or the commit of the hub."""


def open_base(name: str) -> BaseModel:
    """The model, opened.

    Raises:
        MissingExtraError: The extra [train] is not installed.
        InputError: There is no such model, or it cannot be trained on conversations; the message says why.
    """
    try:
        from transformers import AutoModelForCausalLM, AutoTokenizer
    except ImportError as error:
        raise missing_extra("local fine-tuning", "train", error) from None
    path = Path(name).expanduser()
    if path.is_file() or path.suffix == ".gguf":
        raise InputError(
            f"{name} is no model to train: start from a transformers folder or a name on the hub; a GGUF file is made "
            "from one of these."
        )
    where = str(path) if path.exists() else name
    with _named(name), muted_errors():  # bars are drawn while it is read
        tokenizer: Any = AutoTokenizer.from_pretrained(where)
        if not tokenizer.chat_template:
            raise InputError(
                f"{name} has no chat template, so nobody knows how a conversation is laid out for it; "
                "start from a model that was made for conversations (its name often ends in Instruct or Chat)."
            )
        network: Any = AutoModelForCausalLM.from_pretrained(where, dtype="auto")
    commit = getattr(network.config, "_commit_hash", None)
    context = getattr(network.config, "max_position_embeddings", None)
    return BaseModel(name, network, tokenizer, context, commit or weights_digest(path))


def weights_digest(path: Path) -> str:
    """A digest of the weights in the folder.

    Examples:
        >>> import pathlib, tempfile
        >>> from multihop.optimize.finetuning.training.base_model import weights_digest
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> (folder / "model.safetensors").write_bytes(b"0"), weights_digest(folder)
        (1, '1240a4684403b160e6597a653a88f56c')
    """
    files = sorted(each for kind in WEIGHTS for each in path.glob(kind))
    digest = blake2b(digest_size=16)
    for each in files:
        with reading(each) as file:
            while block := file.read(1 << 24):
                digest.update(block)
    return digest.hexdigest()


@contextmanager
def _named(name: str) -> Iterator[None]:
    """Errors of the library that opens models, in one sentence that names the model."""
    try:
        yield
    except InputError:
        raise
    except Exception as error:  # a dozen kinds, from five packages
        raise InputError(
            f"{name} cannot be opened as a model to train ({first_line(error).rstrip('.')}); "
            "a model is a transformers folder or a name on the hub."
        ) from error
