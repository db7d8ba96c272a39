"""`python -m exp VERB`: hands the words to the verb's own module; only the verb that is typed is imported."""

from __future__ import annotations

import sys
from importlib import import_module

VERBS = {
    "plan": ("exp.views.plan", "what a run would do: lengths, batches, steps; nothing is run   [--json] [overrides]"),
    "fields": ("exp.views.fields", "every key of a configuration group, explained   [GROUP]"),
    "data": (
        "exp.views.data_show",
        "`data show`: one row as read, as messages, as text, as tokens   [--row N] [overrides]",
    ),
    "audit": ("exp.views.audit", "what the reward pays for golds, wrong answers and attacks   [--json] [--rows N]"),
    "verify": ("exp.rewards.command", "judge recorded completions against golds   FILE.jsonl [--kind K] [--json]"),
    "sweep": ("exp.cluster.study", "run a study kept in a file   sweeps/NAME.yaml [overrides]"),
    "report": ("exp.views.report", "write the report of a run again   [RUN]"),
}
"""Verb to its module, whose `main(words)` returns the exit status, and one line of help."""


def main() -> None:
    """Run the verb; a user's mistake is printed without a traceback and exits with status 2."""
    words = sys.argv[1:]
    if not words or words[0] in ("-h", "--help", "help"):
        print(usage())
        sys.exit(0)
    verb, rest = words[0], words[1:]
    from exp.errors import Refused, nearest
    from exp.messages import print_refusal

    if verb not in VERBS:
        close = nearest(verb, list(VERBS))
        print(
            f"there is no verb {verb!r}" + (f"; did you mean `exp {close}`?" if close else "") + f"\n\n{usage()}",
            file=sys.stderr,
        )
        sys.exit(2)
    try:
        sys.exit(import_module(VERBS[verb][0]).main(rest))
    except Refused as refused:
        print_refusal(refused)
        sys.exit(2)
    except BrokenPipeError:
        # The reader of a pipe (`exp plan | head`) has left; there is nobody to tell.
        sys.stderr.close()
        sys.exit(141)


def usage() -> str:
    """The list of verbs."""
    lines = [f"  {verb:<8} {text}" for verb, (_, text) in VERBS.items()]
    return "\n".join(["python -m exp.train [overrides] runs; python -m exp VERB looks and helps:\n", *lines])


if __name__ == "__main__":
    main()
