"""What tests need of the extras: a test marked `extra("train")` is passed over where one of its modules is missing."""

from importlib.util import find_spec

from chromium import CHROMIUM

MODULES = {
    "browser": ("playwright",),
    "colbert": ("colbert",),
    "docs": ("zensical",),
    "encoders": ("sentence_transformers",),
    "ray": ("ray",),
    "train": ("torch", "transformers", "accelerate", "onnx", "peft", "trl"),
    "tune": ("torch", "transformers", "accelerate", "peft", "trl"),
}


def is_there(extra):
    """Whether all that the extra brings is installed; for pages in a browser, whether there is Chromium too."""
    return all(find_spec(name) for name in MODULES[extra]) and (extra != "browser" or CHROMIUM is not None)
