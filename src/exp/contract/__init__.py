"""What several stages must agree on, as pure functions: the format of completions, lengths, batches."""
