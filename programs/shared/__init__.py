"""What several methods build on: chains, sub-questions, evidence, and the trees that are recorded."""
