"""The method to take: measured rows, published figures, and the rule that chooses among them."""
