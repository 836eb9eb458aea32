"""An explanation as data: conflicts, each a numbered tree of facts, and changes that lead to a plan.

A conflict is a list of nodes. A node leads to others, by number: what a subscription could be served by, why each
of these fails, what they require and who could give it. Numbers are unique in the explanation and follow the order
of reading; what is reached twice is referred to twice and stands there once. So a deep or widely shared tree is no
larger than the core that it tells. Where branches meet (two bundles of one package, say) a node is *against* others.

Nothing here knows how it looks: :mod:`olmsolve.render.explanation` makes text, Markdown and pictures of it.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Any

import attrs

from olmsolve.answers.explain.changes import AddCatalog, Fix, ShowCatalog
from olmsolve.resolution import SCHEMA_VERSION, Candidate

__all__ = ["Conflict", "Explanation", "Node", "NodeKind", "NodeLocation", "Note", "NoteKind"]


class NodeKind(enum.Enum):
    """What a node says, and what the nodes are that it leads to."""

    SUBSCRIPTION = "subscription"
    """A subscription must be served by one of its candidates; leads to these, and all of them fail."""
    UNKNOWN = "unknown"
    """A subscription names what is not there."""
    MUST_STAY = "must-stay"
    """An installed operator without a subscription must stay; leads to it."""
    ASKED = "asked"
    """A question wants one of the candidates that it leads to, beside what the request wants."""
    BUNDLES = "bundles"
    """Candidates of one package that fail alike; leads to facts that together rule out each of them."""
    REQUIREMENT = "requirement"
    """What the bundles require; leads to those that could give it (all of them fail), against what it rules out."""
    ONLY_ONE = "only-one"
    """At most one bundle of a package, or providing an API, is selected; against the bundles that compete."""
    REPLACES = "replaces"
    """The bundles replace an installed operator, or it is replaced by them; against the other side."""
    EXCLUDED = "excluded"
    """A requirement of another bundle rules these out; against that requirement."""
    DEPRECATED = "deprecated"
    """The bundles have an ``olm.deprecated`` property."""
    BROKEN = "broken"
    """The bundles, or their channel, are broken in the catalog."""
    REFUSED = "refused"
    """A system constraint of the request refuses the bundles."""
    UNREADABLE = "unreadable"
    """A catalog that cannot be read keeps the request from being resolved."""
    CATALOG = "catalog"
    """OLM v1: what each filter left of a catalog."""


class NoteKind(enum.Enum):
    """What a note says about something that would nearly have fitted."""

    SIMILAR_NAME = "similar-name"
    OTHER_VERSIONS = "other-versions"
    PRERELEASE = "prerelease"
    OTHER_API_VERSION = "other-api-version"
    SKIPPED = "skipped"
    OTHER_CHANNEL = "other-channel"
    INVISIBLE = "invisible"
    EMPTY_RANGE = "empty-range"


@attrs.frozen
class Note:
    """A fact about what would nearly have fitted; *names* are the packages, versions, bundles it is about."""

    kind: NoteKind
    text: str
    names: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.text

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind.value, "text": self.text, "names": list(self.names)}


@attrs.frozen
class NodeLocation:
    """Where a node's fact is written; what does not apply is "".

    *catalog* is ``name/namespace`` or ``@existing``; *origin* is the file and line (or document) of the blob;
    *field* is the property of the bundle (``properties[2] (olm.gvk.required)``) or the field of the request.
    """

    catalog: str = ""
    bundle: str = ""
    origin: str = ""
    field: str = ""

    def __str__(self) -> str:
        return ", ".join(filter(None, (self.origin, self.bundle, self.field)))

    def to_dict(self) -> dict[str, str]:
        return {name: value for name, value in attrs.asdict(self).items() if value}


@attrs.frozen
class Node:
    """One fact of a conflict, in words without a full stop.

    The *statement* of a root is a sentence, that of BUNDLES a noun, and that of the facts they lead to goes on from
    that noun ("requires the API ..."). *leads_to* and *against* are numbers of other nodes (see :class:`NodeKind`): a
    tree, and where its branches meet. *candidates* are the members of BUNDLES, by version. *message* is the author's
    ``failureMessage``.
    """

    number: int
    kind: NodeKind
    statement: str
    leads_to: tuple[int, ...] = ()
    against: tuple[int, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    message: str = ""
    notes: tuple[Note, ...] = ()
    places: tuple[NodeLocation, ...] = ()

    def __str__(self) -> str:
        return self.statement

    def to_dict(self) -> dict[str, Any]:
        result: dict[str, Any] = {
            "number": self.number,
            "kind": self.kind.value,
            "statement": self.statement,
            "leadsTo": list(self.leads_to),
            "against": list(self.against),
        }
        if self.candidates:
            result["candidates"] = [candidate.to_dict() for candidate in self.candidates]
        if self.message:
            result["message"] = self.message
        if self.notes:
            result["notes"] = [note.to_dict() for note in self.notes]
        if self.places:
            result["places"] = [place.to_dict() for place in self.places]
        return result


@attrs.frozen
class Conflict:
    """Facts that cannot hold together, each of them needed; *statement* says in one sentence what fails.

    *roots* are the numbers of the nodes to begin with: subscriptions and operators that must stay. No two
    conflicts of an explanation have a root in common.
    """

    statement: str
    roots: tuple[int, ...]
    nodes: tuple[Node, ...]

    def __str__(self) -> str:
        return self.statement

    def by_number(self) -> Mapping[int, Node]:
        """The nodes by their numbers."""
        return {node.number: node for node in self.nodes}

    def to_dict(self) -> dict[str, Any]:
        return {
            "statement": self.statement,
            "roots": list(self.roots),
            "nodes": [node.to_dict() for node in self.nodes],
        }


@attrs.frozen
class Explanation:
    """Why a request has no solution, and what would give it one.

    *semantics* is ``"documented"`` or ``"controller"``, "" for OLM v1. *fixes* come with the smallest change
    first; None if they were not looked for. *exhausted* tells that the search for fixes ended before it had
    tried everything (see :func:`olmsolve.explanation`).
    """

    conflicts: tuple[Conflict, ...]
    fixes: tuple[Fix, ...] | None = None
    semantics: str = ""
    exhausted: bool = False

    @property
    def lacks_a_provider(self) -> bool:
        """Whether something is required that nothing visible gives, and another catalog might: no fix found one."""
        if any(isinstance(change, AddCatalog | ShowCatalog) for fix in self.fixes or () for change in fix.changes):
            return False
        return any(
            node.kind is NodeKind.REQUIREMENT
            and not node.leads_to
            and not node.against
            and all(note.kind is not NoteKind.EMPTY_RANGE for note in node.notes)
            for conflict in self.conflicts
            for node in conflict.nodes
        )

    def __str__(self) -> str:
        return "; ".join(conflict.statement for conflict in self.conflicts)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data, of the schema in ``olmsolve/answers/explain/explanation.schema.json``."""
        result: dict[str, Any] = {
            "schema": "olmsolve.explanation",
            "schemaVersion": SCHEMA_VERSION,
            "semantics": self.semantics,
            "conflicts": [conflict.to_dict() for conflict in self.conflicts],
        }
        if self.fixes is not None:
            result["fixes"] = [fix.to_dict() for fix in self.fixes]
            result["exhausted"] = self.exhausted
        return result
