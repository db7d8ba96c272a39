"""What a run is: the typed schema of every configuration group, composing, freezing and identity."""
