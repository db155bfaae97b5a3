"""What commands share: what their options mean, and how things look in a terminal."""
