"""Requests solved once more, for the questions that an answer alone cannot answer.

``context`` has the request of an answer, and states its problem with fewer wishes, or with one more. ``rerun`` solves
the request of a plan, since a plan records its bundles and not the choices behind them; it names the rule between two
candidates, and the first choice in which two solutions differ.
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.answers.rerunning.context import RestrictedProblem as RestrictedProblem
    from olmsolve.answers.rerunning.context import context_of as context_of
    from olmsolve.answers.rerunning.rerun import OrderRule as OrderRule
    from olmsolve.answers.rerunning.rerun import Preference as Preference
    from olmsolve.answers.rerunning.rerun import Rerun as Rerun
    from olmsolve.answers.rerunning.rerun import order_rule as order_rule
    from olmsolve.answers.rerunning.rerun import preference_of as preference_of
    from olmsolve.answers.rerunning.rerun import rerun_of as rerun_of
else:
    __getattr__, __dir__ = lazily(__name__)
