"""The reward audit inside a run: on its own questions, before anything is generated or trained."""

from __future__ import annotations

from pathlib import Path

from exp.data.storage import read_rows
from exp.errors import Problem, Refused
from exp.rewards.audit import quick_audit
from exp.stages.files import write_json
from exp.stages.run import Run

AUDIT = "audit.json"


def audit_reward(run: Run, data: Path) -> None:
    """Audit the reward on the prepared RL questions in `data`; what it found is told and kept in the run folder.

    Raises `Refused` if golds are not paid in full or attacks are, unless `reward.audit=warn`.
    """
    reward = run.point.reward
    audit = quick_audit(read_rows(data, "rl"), run.point.format, reward, run.prompts.opened)
    problems, warnings = audit.problems(), audit.warnings()
    found = {"problems": [str(p) for p in problems], "warnings": [str(w) for w in warnings]}
    write_json(run.folder / AUDIT, found)
    if problems and reward.audit == "refuse":
        way_out = "reward.audit=warn to train on it all the same"
        raise Refused(*problems, Problem("such a reward would spoil GRPO", "reward", way_out, "audit"))
    for problem in (*problems, *warnings):
        run.record.say(f"reward audit: {problem}")
