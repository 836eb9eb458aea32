"""Second opinions on a catalog: each range is judged by semantic-version too, and each rule by cel-python.

An answer that differs is a warning, for one of the two is wrong; where the reason is known
(:data:`olmsolve.semver.RANGE_DIFFERENCES`, :data:`olmsolve.cel.RULE_DIFFERENCES`) it is a note: other tools will read
the range or rule otherwise than OLM does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import olmsolve._attrs as attrs
from olmsolve._arguments import counted
from olmsolve._limits import checked
from olmsolve._patterns import pattern
from olmsolve.authoring.checks.findings import Finding, Severity, shortened
from olmsolve.catalog import Bundle, Catalog, Package
from olmsolve.cel import Rule, RuleOpinions, rule_difference
from olmsolve.errors import ConstraintError, RangeError, VersionError
from olmsolve.predicates import leaves, published, requirements
from olmsolve.semver import BlangRange, KnownDifference, Version, range_difference, range_opinion

CODE: Final = "second-opinion"

_MOST_BUNDLES: Final = 100
"""The most bundles that each rule is evaluated on, evenly spread over the catalog."""
_LARGEST: Final = 20_000
"""The most characters of JSON in the properties of such a bundle."""
_AT_ONCE: Final = 20  # bundles in one question to the process of cel-python
# Without build metadata, which no range compares.
_VERSION: Final = pattern(r"[0-9]+\.[0-9]+\.[0-9]+(?:-[0-9A-Za-z.-]+)?")


@attrs.frozen
class SecondOpinions:
    """The outcome of asking for second opinions on a catalog.

    *ranges* and *rules* count the distinct ones, *judged_ranges* and *judged_rules* the ones that got an opinion,
    *judgements* the single questions that were answered. *differences* counts differing answers by the name of the
    known difference, "" for unexplained differences.
    """

    findings: tuple[Finding, ...]
    ranges: int
    judged_ranges: int
    rules: int
    judged_rules: int
    judgements: int
    differences: Mapping[str, int] = attrs.field(hash=False)

    def __str__(self) -> str:
        ranges, rules = counted(self.ranges, "range"), counted(self.rules, "rule")
        judged = f"{self.judged_ranges} of {ranges} and {self.judged_rules} of {rules} judged"
        explained = sum(count for name, count in self.differences.items() if name)
        unknown = self.differences.get("", 0)
        answers = f"{counted(self.judgements, 'answer')}, {explained} differ for a known reason, {unknown} for none"
        return f"Second opinions: {judged}; {answers}."


def second_opinions(catalog: Catalog, *, seconds: float = 5.0) -> SecondOpinions:
    """Judge every range and rule of *catalog* a second time; an answer of cel-python may take *seconds*.

    A range is asked about the versions of its package, and about those that it names; a rule about at most 100 bundles.
    Ranges and rules that do not parse are left to :func:`~olmsolve.authoring.lint`. A limit of the scope at hand ends
    the process of cel-python as well.

    Raises:
        Incomplete: a limit was met, or the caller cancelled.
    """
    return _Judging(catalog).outcome(seconds)


class _Judging:
    """Second opinions on one catalog, under way."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._findings: list[Finding] = []
        self._differences: Counter[str] = Counter()
        self._judgements = 0
        self._versions = {package.name: _versions(package) for package in checked(catalog)}
        self._ranges: dict[str, bool] = {}
        # Each pair of a range and a package once, each rule once, at its first bundle.
        self._judged_pairs: set[tuple[str, str]] = set()
        self._rules: dict[Rule, tuple[Bundle, int]] = {}

    def outcome(self, seconds: float) -> SecondOpinions:
        for _, package in sorted(self._catalog.packages.items()):
            self._skip_ranges(package)
            for _, bundle in checked(sorted(package.bundles.items()), every=4):
                self._requirements(bundle)
        judged = self._judge_rules(seconds)
        return SecondOpinions(
            findings=tuple(self._findings),
            ranges=len(self._ranges),
            judged_ranges=sum(self._ranges.values()),
            rules=len(self._rules),
            judged_rules=judged,
            judgements=self._judgements,
            differences=dict(self._differences),
        )

    def _skip_ranges(self, package: Package) -> None:
        for _, channel in sorted(package.channels.items()):
            for index, entry in enumerate(channel.entries):
                try:
                    wanted = BlangRange.parse(entry.skip_range) if entry.skip_range else None
                except RangeError:
                    continue
                if wanted is not None:
                    location = {"channel": channel.name, "bundle": entry.name}
                    path = f"entries[{index}].skipRange"
                    origin = channel.origin
                    self._judge_range(
                        wanted, package.name, package=package.name, property=path, origin=origin, **location
                    )

    def _requirements(self, bundle: Bundle) -> None:
        try:
            stated = requirements(bundle.properties)
        except ConstraintError:
            return
        for requirement in stated:
            path = f"properties[{requirement.property_index}] ({requirement.property_type})"
            for leaf in leaves(requirement.predicate):
                if leaf.package_range is not None:
                    about, wanted = leaf.package_range
                    self._judge_range(
                        wanted,
                        about,
                        package=bundle.package,
                        bundle=bundle.name,
                        property=path,
                        origin=bundle.origin,
                    )
                elif leaf.cel_rule is not None:
                    self._rules.setdefault(leaf.cel_rule, (bundle, requirement.property_index))

    def _judge_range(self, wanted: BlangRange, about: str, **location: Any) -> None:
        """Judge *wanted* on the versions of the package *about*, and report the first difference at *location*."""
        self._ranges.setdefault(wanted.text, False)
        # Bundles repeat their ranges from version to version: each text is judged once for each package.
        if (wanted.text, about) in self._judged_pairs:
            return
        self._judged_pairs.add((wanted.text, about))
        reported: set[str] = set()
        for version in checked(dict.fromkeys((*self._versions.get(about, ()), *_versions_in(wanted.text))), every=16):
            opinion = range_opinion(wanted, version)
            if opinion is None:
                continue
            self._ranges[wanted.text] = True
            self._judgements += 1
            if opinion != (version in wanted):
                other = "finds" if opinion else "does not find"
                text = f"semantic-version {other} {version} in {shortened(wanted.text)}, and OLM does the opposite"
                self._report(text, range_difference(wanted, version), reported, **location)

    def _judge_rules(self, seconds: float) -> int:
        """Judge all rules, each on a part of the bundles; return the number of rules that got an opinion."""
        lists = list(self._property_lists()) if self._rules else []
        judged = 0
        with RuleOpinions(seconds) as opinions:
            for rule, (bundle, index) in self._rules.items():
                reported: set[str] = set()
                answers = 0
                for batch in _batches(lists):
                    for properties, opinion in checked(zip(batch, opinions.of(rule, batch), strict=True)):
                        if opinion is None:
                            continue
                        answers += 1
                        if opinion != rule.matches(properties):
                            other = "matches" if opinion else "does not match"
                            text = f"{shortened(rule.text)} {other} a bundle for cel-python, and the opposite for OLM"
                            self._report(
                                text,
                                rule_difference(rule, properties),
                                reported,
                                package=bundle.package,
                                bundle=bundle.name,
                                property=f"properties[{index}] (olm.constraint)",
                                origin=bundle.origin,
                            )
                self._judgements += answers
                judged += bool(answers)
        return judged

    def _property_lists(self) -> Iterator[list[dict[str, Any]]]:
        """Yield the properties of at most 100 bundles as rules see them, without repetitions."""
        bundles = [bundle for package in self._catalog for bundle in package.bundles.values()]
        seen: set[bytes] = set()
        for bundle in bundles[:: max(1, len(bundles) // _MOST_BUNDLES)]:
            text = b"".join(property_.text for property_ in bundle.properties)
            if len(text) <= _LARGEST and text not in seen:
                seen.add(text)
                yield published(bundle.package, bundle.properties).cel_properties()

    def _report(self, text: str, difference: KnownDifference | None, reported: set[str], **location: Any) -> None:
        """Count a difference, and report the first of its name for each range or rule."""
        name = "" if difference is None else difference.name
        self._differences[name] += 1
        if name in reported:
            return
        reported.add(name)
        if difference is None:
            hint = "one of them is wrong: please report it to olmsolve"
            self._findings.append(Finding(Severity.WARNING, CODE, text, hint, **location))
        else:
            self._findings.append(Finding(Severity.NOTE, CODE, text, difference.text, **location))


def _versions(package: Package) -> tuple[Version, ...]:
    facts = (published(package.name, bundle.properties) for bundle in package.bundles.values())
    return tuple(dict.fromkeys(fact.version for fact in facts if fact.version is not None))


def _versions_in(text: str) -> Iterator[Version]:
    """Yield the full versions in the text of a range."""
    for match in _VERSION.finditer(text):
        try:
            yield Version.parse(match[0])
        except VersionError:
            continue


def _batches(values: Sequence[list[dict[str, Any]]]) -> Iterator[Sequence[list[dict[str, Any]]]]:
    for start in range(0, len(values), _AT_ONCE):
        yield values[start : start + _AT_ONCE]
