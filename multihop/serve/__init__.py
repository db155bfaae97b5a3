"""What this library does, in other people's processes."""
