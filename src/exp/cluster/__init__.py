"""Where points are executed."""
