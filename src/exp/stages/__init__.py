"""The steps of a point, the store of what they leave, and the loop that runs them."""
