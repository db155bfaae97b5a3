"""Models in the folders of transformers, as trainers write them, asked in this process."""
