"""The command line: one file a command, what commands share, and all that is drawn in a terminal."""
