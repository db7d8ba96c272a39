"""What `python -m exp.train --help` prints: ways to call it, options of every group, switches. Nothing is composed."""

from __future__ import annotations

from exp.paths import conf_dir

TEXT = """\
Fine-tune a language model with verifiable rewards: SFT → GRPO → evaluation → report.

  python -m exp.train                                    the embedded model on a CPU, in minutes
  python -m exp.train model=qwen8b reward=strict         one run
  python -m exp.train model=smollm2_135m dataset=gsm8k   a real model on a CPU
  python -m exp.train -m lora=r8,r16 generations=g2,g8   a sweep of four points
  python -m exp.train --cfg job [overrides]              show the configuration, run nothing
  python -m exp plan [overrides]                         show lengths, batches and steps, run nothing

The same command typed again continues an interrupted run and reuses finished stages.

== Options: GROUP=OPTION ==

{groups}

Any value can be set by its dotted key, such as grpo.learning_rate=2e-5 or lora.rank=24; unknown keys are refused
with the nearest known one. `python -m exp fields GROUP` explains every key of a group.

== Switches ==

--multirun, -m   run every combination of comma-separated values
--cfg job        print the composed configuration
--config-dir DIR look for further options in DIR/GROUP/*.yaml
--hydra-help     Hydra's own help
"""


def usage() -> str:
    """The help text, with the options found in conf/."""
    folders = sorted(folder for folder in conf_dir().iterdir() if folder.is_dir())
    options = {folder.name: sorted(file.stem for file in folder.glob("*.yaml")) for folder in folders}
    return TEXT.format(groups="\n".join(f"{group}: {', '.join(names)}" for group, names in options.items()))
