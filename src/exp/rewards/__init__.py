"""Extract the answer of a completion, verify it against the gold, and pay for it."""
