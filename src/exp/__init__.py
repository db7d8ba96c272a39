"""Fine-tune language models with verifiable rewards: SFT, GRPO and evaluation behind one Hydra entry point."""

__version__ = "0.1.0"
