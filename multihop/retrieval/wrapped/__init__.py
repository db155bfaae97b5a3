"""Functions, DSPy's retrievers and those of other libraries, as retrievers of ours."""
