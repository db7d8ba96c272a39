"""Loading models, adapters and the hand-off of weights between stages."""
