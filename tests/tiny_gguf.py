"""The beginning of a GGUF file, without any weights."""

import struct


def text(value):
    return struct.pack("<Q", len(value.encode())) + value.encode()


def gguf(**values):
    """A file with this description; `__` in a key is a dot."""
    content = b"GGUF" + struct.pack("<IQQ", 3, 0, len(values))
    for key, value in values.items():
        content += text(key.replace("__", "."))
        if isinstance(value, str):
            content += struct.pack("<I", 8) + text(value)
        elif isinstance(value, list):
            content += struct.pack("<IIQ", 9, 8, len(value)) + b"".join(map(text, value))
        else:
            content += (
                struct.pack("<I", 6) + struct.pack("<f", value)
                if isinstance(value, float)
                else struct.pack("<II", 4, value)
            )
    return content


def qwen3(**values):
    """A file of a model that thinks unless it is told not to."""
    return gguf(general__architecture="qwen3", general__name="Qwen3 0.6B", qwen3__context_length=40960, **values)
