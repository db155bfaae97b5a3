"""The people, places, works and organizations of a fictional world, and their names."""
