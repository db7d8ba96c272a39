"""`python -m exp.train`: checks the command line, lets Hydra compose, and runs; the body is one call."""

from __future__ import annotations

import sys

import hydra
from omegaconf import DictConfig

from exp.paths import conf_dir

ASKS = ("--hydra-help", "--version", "--info", "-i", "--shell-completion", "-sc")
"""Options that ask about the command and run nothing."""


@hydra.main(config_path=str(conf_dir()), config_name="config", version_base="1.3")
def run(config: DictConfig) -> None:
    """Run one composed configuration; exits with the run's own status."""
    from exp.run import run_config

    sys.exit(run_config(config))


def main() -> None:
    """Check the command line and hand it to Hydra."""
    words = sys.argv[1:]
    if "--help" in words or "-h" in words:
        from exp.views.usage import usage

        print(usage(), end="")
        return
    if not any(word.split("=")[0] in ASKS for word in words):
        sys.argv[1:] = checked(words)
    run()


def checked(words: list[str]) -> list[str]:
    """The command line with its overrides checked; exits with status 2 and all problems where some are wrong."""
    from hydra._internal.utils import get_args_parser

    from exp.config.compose import split_words
    from exp.config.overrides import check_overrides
    from exp.errors import Refused
    from exp.messages import print_refusal

    options, _ = get_args_parser().parse_known_intermixed_args(words)
    try:
        folders = split_words(words)[1]
        accepted = check_overrides(options.overrides, multirun=bool(options.multirun), folders=folders)
    except Refused as refused:
        print_refusal(refused)
        sys.exit(2)
    given = set(options.overrides)
    # Switches first: Hydra's own parser takes overrides on one side of them only.
    return [*(word for word in words if word not in given), *accepted]


if __name__ == "__main__":
    main()
