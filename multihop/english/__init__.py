"""English as texts are read here: sentences, word stems, titles before texts, and names of countries."""
