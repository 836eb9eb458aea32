"""The rule of ``Upgradeable``: whether an operator lets itself be replaced.

An operator reports ``Upgradeable`` in the OperatorCondition of its own name; an administrator's override stands above
the report. As recorded: an override decides alone, and blocks unless it is ``True``. Without an override, a report in
the status about an older generation of the object blocks, even ``True``; otherwise ``False`` blocks and ``Unknown``
does not.

The report stands in ``spec.conditions`` (version 2 of the API, and OLM's documentation) or in ``status.conditions``
(version 1). OLM copies each condition of the spec into the status, with the object's generation, before it looks
there: so the spec wins over the status, and is never outdated.
"""

from __future__ import annotations

from typing import Final

from olmsolve.cluster.objects import OperatorCondition, condition_of

UPGRADEABLE: Final = "Upgradeable"


def not_upgradeable(condition: OperatorCondition | None) -> str:
    """Return why the operator of *condition* must not be replaced now; "" if it may be.

    An operator without an OperatorCondition (None) may always be replaced.
    """
    if condition is None:
        return ""
    override = condition_of(condition.overrides, UPGRADEABLE)
    if override is not None:
        return "" if override.status == "True" else f"the operator is not upgradeable: {override.message}"
    spec_condition = condition_of(condition.spec_conditions, UPGRADEABLE)
    report = spec_condition or condition_of(condition.conditions, UPGRADEABLE)
    if report is None:
        return ""
    if spec_condition is None and report.observed_generation != condition.metadata.generation:
        return f'the operatorcondition status "{UPGRADEABLE}"="{report.status}" is outdated'
    if report.status == "False":
        return f"the operator is not upgradeable: {report.message}"
    return ""
