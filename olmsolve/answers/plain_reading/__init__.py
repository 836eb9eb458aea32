"""A second reader of what bundles say, which judges the answers of the first: versions, ranges, rules, requirements.

The checker of certificates and the brute-force reference read with this room, written from the documentation alone, so
that a fault in :mod:`olmsolve.semver`, :mod:`olmsolve.cel` or :mod:`olmsolve.predicates` does not pass twice. It is
slow and plain: a range tries its comparisons one by one, a rule is walked as a tree. Read ``versions`` (versions and
the ranges of classic OLM), ``rules`` and ``rule_values`` (the part of CEL that catalogs use), then ``bundles`` (what a
requirement asks of a bundle, and what bundles say).

A rule beyond that part of CEL is left to :mod:`olmsolve.cel`.
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.answers.plain_reading.bundles import ApiTest as ApiTest
    from olmsolve.answers.plain_reading.bundles import BundleTest as BundleTest
    from olmsolve.answers.plain_reading.bundles import LabelTest as LabelTest
    from olmsolve.answers.plain_reading.bundles import PackageTest as PackageTest
    from olmsolve.answers.plain_reading.bundles import PartsTest as PartsTest
    from olmsolve.answers.plain_reading.bundles import PlainFacts as PlainFacts
    from olmsolve.answers.plain_reading.bundles import PlainRequirement as PlainRequirement
    from olmsolve.answers.plain_reading.bundles import UnreadableRequirementError as UnreadableRequirementError
    from olmsolve.answers.plain_reading.bundles import constraint as constraint
    from olmsolve.answers.plain_reading.bundles import facts as facts
    from olmsolve.answers.plain_reading.bundles import requirements as requirements
    from olmsolve.answers.plain_reading.rule_values import NoOpinion as NoOpinion
    from olmsolve.answers.plain_reading.rules import PlainRule as PlainRule
    from olmsolve.answers.plain_reading.versions import PlainRange as PlainRange
    from olmsolve.answers.plain_reading.versions import PlainVersion as PlainVersion
    from olmsolve.answers.plain_reading.versions import order as order
else:
    __getattr__, __dir__ = lazily(__name__)
