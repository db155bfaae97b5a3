"""A folder of documents as passages: read, cut by their headings, and kept in step with an index."""
