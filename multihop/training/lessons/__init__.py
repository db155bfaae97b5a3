"""Questions with gold, turned into lessons for the encoder."""
