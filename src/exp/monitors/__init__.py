"""Monitors: they follow training while it runs and say when it goes wrong, what shows it, and what to do."""
