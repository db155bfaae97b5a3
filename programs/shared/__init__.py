"""The parts that several methods share: chains, sub-questions, agents, evidence, and recorded trees."""
