"""One call of an LM: cached, limited, counted, retried."""
