"""The options that several commands share, each declared once: its name, its type and its help."""
