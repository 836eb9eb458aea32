"""Certificates as JSON: writing candidates, facts and refutations, and reading them from an untrusted document.

docs/certificates.md describes the format for other programs. A fact has one key that names its kind::

    {"requires": ["olm/main", "etcd", "alpha", "etcd.v1.0.0"], "wish": 0}
    {"onePer": "package", "name": "etcd", "members": [...]}
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, assert_never

import attrs

from olmsolve.answers.verification.facts import Fact, IsUnselectable, OnePer, Replaces, RootHolds, WishHolds
from olmsolve.answers.verification.replaying import Refutation, Rejected
from olmsolve.answers.verification.wishes import wishes_of
from olmsolve.answers.verification.world import PlainCandidate, World
from olmsolve.classic import Semantics
from olmsolve.errors import RequestError

SCHEMA: Final = "olmsolve.certificate"
VERSION: Final = 1


def written_candidate(candidate: PlainCandidate) -> list[str]:
    """Write *candidate* as its catalog, package, channel and name."""
    return [candidate.catalog, candidate.package, candidate.channel, candidate.name]


def written_refutation(refutation: Refutation) -> dict[str, Any]:
    """Write *refutation* as its facts and steps."""
    return {"facts": list(map(_written_fact, refutation.facts)), "steps": [list(step) for step in refutation.steps]}


def written_rejection(rejected: Rejected, refutation: Refutation) -> dict[str, Any]:
    """Write which way of which choice was passed over, and the *refutation* that proves it impossible."""
    return {"choice": rejected.choice, "way": rejected.way, **written_refutation(refutation)}


def _written_fact(fact: Fact) -> dict[str, Any]:
    match fact:
        case RootHolds():
            return {"wanted": fact.number}
        case WishHolds():
            return {"requires": written_candidate(fact.candidate), "wish": fact.wish}
        case OnePer():
            return {"onePer": fact.kind, "name": fact.name, "members": list(map(written_candidate, fact.members))}
        case Replaces():
            return {"replaces": written_candidate(fact.candidate), "operator": written_candidate(fact.operator)}
        case IsUnselectable():
            return {"never": written_candidate(fact.candidate)}
        case _:
            assert_never(fact)


@attrs.frozen
class CertificateReader:
    """A reader of the parts of a certificate: whatever they name must exist in *world*.

    *roots* is how many roots the request has. Methods take a JSON value and the *field* that it came from.

    Raises:
        RequestError: the value is malformed, names a candidate that does not exist, or states a fact that does
            not hold. It names the field.
    """

    world: World
    semantics: Semantics
    roots: int

    def candidate(self, value: object, field: str) -> PlainCandidate:
        """Read a candidate, given by catalog, package, channel and name."""
        texts = _list(value, field)
        if len(texts) != 4 or not all(isinstance(text, str) for text in texts):
            raise RequestError("must be a list of catalog, package, channel and name", field=field)
        found = self.world.find(*texts)
        if found is None:
            raise RequestError(f"there is no candidate {' '.join(map(repr, texts))}", field=field)
        return found

    def rejection(self, value: object, field: str) -> tuple[Rejected, Refutation]:
        """Read a way that a choice passed over, with its refutation."""
        mapping = _mapping(value, field)
        choice, way = (_number(mapping.get(name), f"{field}.{name}") for name in ("choice", "way"))
        return Rejected(choice, way), self.refutation(mapping, field)

    def refutation(self, value: object, field: str) -> Refutation:
        """Read a refutation: its facts and its steps."""
        mapping = _mapping(value, field)
        facts = _list(mapping.get("facts"), f"{field}.facts")
        steps = _list(mapping.get("steps"), f"{field}.steps")
        return Refutation(
            tuple(self._fact(fact, f"{field}.facts[{i}]") for i, fact in enumerate(facts)),
            tuple(_step(step, f"{field}.steps[{i}]") for i, step in enumerate(steps)),
        )

    def _fact(self, value: object, field: str) -> Fact:
        """Read a fact, and check that it holds in the request."""
        mapping = _mapping(value, field)
        if "wanted" in mapping:
            number = _number(mapping["wanted"], f"{field}.wanted")
            if number >= self.roots:
                raise RequestError(f"there are only {self.roots} wishes", field=f"{field}.wanted")
            return RootHolds(number)
        if "requires" in mapping:
            candidate = self.candidate(mapping["requires"], f"{field}.requires")
            wish = _number(mapping.get("wish"), f"{field}.wish")
            if wish >= len(wishes_of(self.world, candidate, self.semantics)):
                raise RequestError(f"{candidate.name} does not require that much", field=f"{field}.wish")
            return WishHolds(candidate, wish)
        if "replaces" in mapping:
            candidate = self.candidate(mapping["replaces"], f"{field}.replaces")
            operator = self.candidate(mapping.get("operator"), f"{field}.operator")
            if (candidate, operator) not in self.world.excluded_pairs:
                raise RequestError(f"{candidate.name} does not replace {operator.name}", field=field)
            return Replaces(candidate, operator)
        if "never" in mapping:
            candidate = self.candidate(mapping["never"], f"{field}.never")
            if candidate.selectable:
                raise RequestError(f"{candidate.name} can be selected", field=f"{field}.never")
            return IsUnselectable(candidate)
        if "onePer" in mapping:
            return self._one_per(mapping, field)
        raise RequestError("is no fact", field=field, hint="wanted, requires, onePer, replaces or never")

    def _one_per(self, mapping: Mapping[str, Any], field: str) -> OnePer:
        """Read an at-most-one fact, and check that each member belongs to it."""
        kind, name = mapping["onePer"], mapping.get("name")
        if kind not in ("package", "api") or not isinstance(name, str):
            raise RequestError("must be package or api, with a name", field=f"{field}.onePer")
        members = _list(mapping.get("members"), f"{field}.members")
        found = tuple(self.candidate(member, f"{field}.members[{i}]") for i, member in enumerate(members))
        fact = OnePer(kind, name, tuple(dict.fromkeys(found)))
        if not fact.holds():
            raise RequestError(f"not all of these have the {kind} {name}", field=f"{field}.members")
        return fact


def _step(value: object, field: str) -> tuple[int, ...]:
    literals = _list(value, field)
    if not all(type(literal) is int and literal for literal in literals):
        raise RequestError("must be a list of whole numbers but 0", field=field)
    return tuple(literals)


def _list(value: object, field: str) -> list[Any]:
    if not isinstance(value, list):
        raise RequestError("must be a list", field=field)
    return value


def _mapping(value: object, field: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise RequestError("must be an object", field=field)
    return value


def _number(value: object, field: str) -> int:
    if type(value) is not int or value < 0:
        raise RequestError("must be a whole number, 0 or more", field=field)
    return value
