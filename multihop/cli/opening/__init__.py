"""From options to values: opens corpora, LMs, programs and question sets, and says what is wrong with them."""
