"""Held-back bundles: newer ones of subscribed packages that a plan leaves aside, each with its obstacles.

``obstacles`` are the values. ``subscriptions`` has the verb, and asks first whether there is anything newer;
``obstacle_finder`` picks the bundles worth a word and names what keeps each away, with a look at the plan before it
solves anything.
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.answers.held_back.obstacles import AfterUpdates as AfterUpdates
    from olmsolve.answers.held_back.obstacles import HeldBackBundle as HeldBackBundle
    from olmsolve.answers.held_back.obstacles import HeldBackOperator as HeldBackOperator
    from olmsolve.answers.held_back.obstacles import ImpossibleBeside as ImpossibleBeside
    from olmsolve.answers.held_back.obstacles import NoUpdatePath as NoUpdatePath
    from olmsolve.answers.held_back.obstacles import ObstacleKind as ObstacleKind
    from olmsolve.answers.held_back.subscriptions import held_back as held_back
else:
    __getattr__, __dir__ = lazily(__name__)
