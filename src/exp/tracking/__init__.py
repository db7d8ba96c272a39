"""Where a run's numbers go: `metrics.jsonl` and the completions on disk always; everything else is a view of them."""
