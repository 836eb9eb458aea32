"""Laws of ranges and rules: other libraries find what olmsolve finds, but for known differences."""

from __future__ import annotations

from collections.abc import Iterable

from olmsolve.cel import Rule, RuleOpinions, rule_difference
from olmsolve.predicates import Property
from olmsolve.semver import BlangRange, MastermindsRange, Version, range_difference, range_opinion


def check_range(wanted: BlangRange | MastermindsRange, versions: Iterable[Version]) -> None:
    """Check that semantic-version finds the same of *versions* in the range *wanted*, where it has an opinion.

    Raises:
        AssertionError: it finds another one, and none of :data:`olmsolve.semver.RANGE_DIFFERENCES` explains that.
    """
    for version in versions:
        opinion = range_opinion(wanted, version)
        if opinion is not None and opinion != (version in wanted) and range_difference(wanted, version) is None:
            raise AssertionError(
                f"{version} in {wanted}: olmsolve says {version in wanted}, semantic-version {opinion}"
            )


def check_rule(rule: Rule, bundles: Iterable[Iterable[Property]], opinions: RuleOpinions) -> None:
    """Check that cel-python gives the same for *rule* on the properties of each of *bundles*, where it has an opinion.

    *opinions* is the process to ask, which several checks share.

    Raises:
        AssertionError: it gives another, and none of :data:`olmsolve.cel.RULE_DIFFERENCES` explains that.
    """
    lists = [[{"type": each.type, "value": each.value} for each in properties] for properties in bundles]
    for properties, opinion in zip(lists, opinions.of(rule, lists), strict=True):
        ours = rule.matches(properties)
        if opinion is not None and opinion != ours and rule_difference(rule, properties) is None:
            raise AssertionError(f"{rule.text} on {properties}: olmsolve says {ours}, cel-python {opinion}")
