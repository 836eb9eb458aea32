"""The requirements of a journey: what each version asks of an operator, a namespace or an extension."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable
from functools import total_ordering
from typing import TypeAlias

from olmsolve._records import Record, field, record


@total_ordering
class JourneyRule(enum.Enum):
    """The rules that a journey keeps at each version.

    At a version, each operator *supports* it, each namespace *settles* without a step back, each namespace and
    extension *resolves*, each namespace *installs* all of its newest install plan, and each operator *works*.
    """

    SUPPORTS = "supports"
    SETTLES = "settles"
    RESOLVES = "resolves"
    INSTALLS = "installs"
    WORKS = "works"

    def __lt__(self, other: JourneyRule) -> bool:
        return self.value < other.value


@record(order=True)
class JourneyRequirement(Record):
    """The *rule* that *subject* has to keep at the *stage* with this number, from 0.

    The subject is ``namespace/operator`` of an operator without a subscription, ``namespace/subscription`` of one with
    a subscription, a namespace, or the name of an extension.
    """

    stage: int = field("The number of the version on the way, from 0.")
    subject: str = field("What has to keep the rule.")
    rule: JourneyRule = field("The rule.")


Demands: TypeAlias = Callable[[int, str, JourneyRule], bool]
"""Says whether a journey has to keep a rule, for a subject, at the stage with a number."""


def every_rule(stage: int, subject: str, rule: JourneyRule) -> bool:
    """Demand everything."""
    return True


def only(requirements: Iterable[JourneyRequirement]) -> Demands:
    """Return demands of these *requirements* alone."""
    wanted = {(requirement.stage, requirement.subject, requirement.rule) for requirement in requirements}
    return lambda stage, subject, rule: (stage, subject, rule) in wanted
