"""The table of monitors."""

from __future__ import annotations

from exp.monitors.answers import AnswerPrior, Hedging
from exp.monitors.copies import Copies, Repetition
from exp.monitors.cut_off import CutOff
from exp.monitors.form import Form
from exp.monitors.lengths import LengthDrift
from exp.monitors.loss import NotFinite, SftLoss
from exp.monitors.monitor import Monitor
from exp.monitors.signal import Entropy, NoSignal
from exp.monitors.truth import FormatWithoutTruth, RewardWithoutTruth, TruthFalls
from exp.monitors.verifier import VerifierTrouble

MONITORS: dict[str, type[Monitor]] = {
    "reward_without_truth": RewardWithoutTruth,
    "format_without_truth": FormatWithoutTruth,
    "truth_falls": TruthFalls,
    "form": Form,
    "hedging": Hedging,
    "answer_prior": AnswerPrior,
    "copies": Copies,
    "repetition": Repetition,
    "length_drift": LengthDrift,
    "cut_off": CutOff,
    "no_signal": NoSignal,
    "entropy": Entropy,
    "verifier": VerifierTrouble,
    "sft_loss": SftLoss,
    "not_finite": NotFinite,
}
"""Monitors by the name their alerts carry; formula, threshold and source stand in each class's docstring."""
