"""From sources to examples to rows that a trainer can read."""
