"""The built-in encoder's files; CARD.md says what they are."""
