"""The LM that only reads: words shared, spans, comparisons."""
