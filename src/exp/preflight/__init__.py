"""What can be known to be wrong before anything is loaded."""
