"""The tiny base model that ships with the package, and the scripts that made it."""
