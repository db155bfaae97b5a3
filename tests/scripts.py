"""Scripts of docs/, benchmarks/ and examples/ as modules, without running them as commands."""

import importlib.util


def load_script(path):
    """The module of a script, which stays out of `sys.modules`."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
