"""The tests of one bundle that requirements are made of: values that print as a noun phrase."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final, Literal, Protocol, TypeAlias

import olmsolve._attrs as attrs
from olmsolve.answers.plain_reading.rule_values import NoOpinion
from olmsolve.answers.plain_reading.rules import PlainRule
from olmsolve.answers.plain_reading.versions import PlainRange, PlainVersion
from olmsolve.predicates import GVK


class StatedFacts(Protocol):
    """The facts of a bundle that a requirement may ask for; :class:`.PlainFacts` says what each means."""

    @property
    def package(self) -> str: ...
    @property
    def packages(self) -> tuple[tuple[str, PlainVersion | None], ...]: ...
    @property
    def version(self) -> PlainVersion | None: ...
    @property
    def gvks(self) -> tuple[GVK, ...]: ...
    @property
    def labels(self) -> frozenset[str]: ...
    def cel_properties(self) -> list[dict[str, Any]]: ...


@attrs.frozen
class ApiTest:
    """A bundle provides the API *gvk*."""

    gvk: GVK

    def test(self, facts: StatedFacts) -> bool:
        return self.gvk in facts.gvks

    def __str__(self) -> str:
        return f"the API {self.gvk}"


@attrs.frozen
class PackageTest:
    """A bundle is of *package*, and one of its versions is in *versions*.

    It is of the package of the catalog that has it, and of all that its properties name; its versions are its own and
    all that these properties state.
    """

    package: str
    versions: PlainRange

    def test(self, facts: StatedFacts) -> bool:
        names = {name for name, _ in facts.packages}
        names |= {facts.package} if facts.package else set()
        stated = [facts.version, *(version for _, version in facts.packages)]
        return self.package in names and any(
            claimed is not None and self.versions.contains(claimed) for claimed in stated
        )

    def __str__(self) -> str:
        return f"package {self.package} in {self.versions}"


@attrs.frozen
class LabelTest:
    """A bundle has *label*."""

    label: str

    def test(self, facts: StatedFacts) -> bool:
        return self.label in facts.labels

    def __str__(self) -> str:
        return f"the label {self.label}"


@attrs.frozen
class RuleTest:
    """A bundle's properties satisfy the CEL rule *text*; an error satisfies nothing."""

    text: str

    def test(self, facts: StatedFacts) -> bool:
        properties = facts.cel_properties()
        rule = _rule(self.text)
        if rule is not None:
            try:
                return rule.outcome(properties) is True
            except NoOpinion:
                pass
        from olmsolve import cel  # who asks about rules that the plain reader knows should not need it

        return cel.compile(self.text).matches(properties)

    def __str__(self) -> str:
        return f"properties that satisfy {self.text}"


# A rule of 60 characters takes 25 µs to read or more, and the versions of a package tend to state the same one.
@lru_cache(maxsize=1024)
def _rule(text: str) -> PlainRule | None:
    try:
        return PlainRule(text)
    except NoOpinion:
        return None


def is_rule(text: str) -> bool:
    """Return whether OLM takes *text* for a rule: it compiles, and to a condition."""
    rule = _rule(text)
    if rule is not None:
        return rule.is_condition
    from olmsolve import cel
    from olmsolve.errors import CompileError

    try:
        cel.compile(text)
    except CompileError:
        return False
    return True


@attrs.frozen(cache_hash=True)
class PartsTest:
    """All, any or none ("not") of *parts* hold of one bundle."""

    kind: Literal["all", "any", "not"]
    parts: tuple[BundleTest, ...]

    def test(self, facts: StatedFacts) -> bool:
        holding = [part.test(facts) for part in self.parts]
        return {"all": all(holding), "any": any(holding), "not": not any(holding)}[self.kind]

    def __str__(self) -> str:
        return f"{_NOUNS[self.kind]} of ({'; '.join(map(str, self.parts))})"


_NOUNS: Final[Mapping[str, str]] = {"all": "all", "any": "any", "not": "none"}

BundleTest: TypeAlias = ApiTest | PackageTest | LabelTest | RuleTest | PartsTest
"""A test on one bundle: ``test(facts)``."""
