"""A trained model as a GGUF file: all that the file before says of itself, with the trained weights."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ....base import InputError

KINDS = {"gguf": ("F16", 1), "gguf-q8_0": ("Q8_0", 7)}
"""For each format, the kind of its matrices and the number that stands for it in the file; vectors have 32 bits."""
SAME = 1e-5
"""The greatest distance between two weights that are the same."""


def check_writable(network: Any, path: Path) -> None:
    """Refuse a model whose weights would not be found again in a GGUF file.

    The weights of the model as it was opened, laid out as they would be written, must be those of the file.

    Raises:
        InputError: They are not.
    """
    from gguf import GGUFReader, dequantize

    reader = GGUFReader(path)
    laid_out = _laid_out(reader, network)
    for tensor in reader.tensors:
        make = laid_out.get(tensor.name)
        if make is None and tensor.name.startswith("rope_"):
            continue
        given = dequantize(tensor.data, tensor.tensor_type) if make else None
        made = make() if make else None
        if given is None or made is None or made.shape != given.shape or np.abs(made - given).max() > SAME:
            raise InputError(
                f"{path} cannot be written again with trained weights (of its tensor {tensor.name} nobody here knows "
                "how it is laid out); take format=folder, and convert that with llama.cpp's own script."
            )


def write_gguf(network: Any, before: Path, path: Path, *, form: str, name: str) -> None:
    """Write the network as a GGUF file.

    Args:
        network: The trained one.
        before: The file that it was read from.
        path: The new file.
        form: A name of `KINDS`.
        name: The model's name in the file.
    """
    from gguf import GGMLQuantizationType, GGUFReader, GGUFValueType, GGUFWriter, quantize

    kind, number = KINDS[form]
    reader = GGUFReader(before)
    laid_out = _laid_out(reader, network)
    writer = GGUFWriter(path, _text(reader, "general.architecture"))
    for field in reader.fields.values():
        if field.name == "general.architecture" or field.name.startswith("GGUF."):
            continue  # the writer adds these
        value = {"general.file_type": number, "general.name": name}.get(field.name, field.contents())
        of = field.types[-1] if field.types[0] == GGUFValueType.ARRAY else None
        writer.add_key_value(field.name, value, field.types[0], sub_type=of)
    for tensor in reader.tensors:
        make = laid_out.get(tensor.name)
        if make is None:
            writer.add_tensor(tensor.name, tensor.data, raw_dtype=tensor.tensor_type)
            continue
        weight = make()
        short = weight.ndim < 2 or (kind == "Q8_0" and weight.shape[-1] % 32)
        wanted = GGMLQuantizationType["F32" if weight.ndim < 2 else "F16" if short else kind]
        writer.add_tensor(tensor.name, quantize(weight, wanted), raw_dtype=wanted)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _laid_out(reader: Any, network: Any) -> Mapping[str, Callable[[], np.ndarray]]:
    """For each tensor of the file, the network's weight as the file has it, made when it is asked for."""
    from gguf import MODEL_ARCH_NAMES, get_tensor_name_map

    architecture = _text(reader, "general.architecture")
    kinds = [kind for kind, name in MODEL_ARCH_NAMES.items() if name == architecture]
    if not kinds:
        return {}
    config = network.config
    names = get_tensor_name_map(kinds[0], config.num_hidden_layers)
    heads = {"attn_q": config.num_attention_heads, "attn_k": getattr(config, "num_key_value_heads", None)}
    made: dict[str, Callable[[], np.ndarray]] = {}
    for given, weight in network.state_dict().items():
        stem, dot, end = given.rpartition(".")
        if name := names.get_name(stem):
            turned = heads.get(name.rpartition(".")[2]) if architecture == "llama" else None
            made[f"{name}{dot}{end}"] = _maker(weight, turned)
    return made


def _maker(weight: Any, heads: int | None) -> Callable[[], np.ndarray]:
    """The weight as numbers; of so many heads, the two halves of each turned into pairs, as llama's are."""

    def make() -> np.ndarray:
        values: np.ndarray = weight.detach().float().cpu().numpy()
        if heads:
            values = values.reshape(heads, 2, values.shape[0] // heads // 2, *values.shape[1:])
            values = values.swapaxes(1, 2).reshape(weight.shape)
        return np.ascontiguousarray(values)

    return make


def _text(reader: Any, name: str) -> str:
    return str(reader.get_field(name).contents())
