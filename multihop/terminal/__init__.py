"""The parts that commands share: options and what they open, and everything that is drawn in a terminal."""
