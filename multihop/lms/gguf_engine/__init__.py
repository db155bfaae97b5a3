"""A model file (GGUF) as an LM in this process, by llama.cpp: the extra `[llama]`."""
