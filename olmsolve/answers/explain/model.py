"""An explanation as data: conflicts, each a numbered tree of facts, and changes that lead to a plan.

A conflict is a list of nodes. A node leads to others by their numbers: a subscription to the bundles that could
serve it, bundles to the facts that rule them out, a requirement to the bundles that could meet it. Where branches
meet, as two bundles of one package do, a node is *against* others::

    1 SUBSCRIPTION  subscription a wants package a     leads to 2
    2 BUNDLES       a 1.0.0                            leads to 3
    3 REQUIREMENT   requires package b in >=2.0.0      leads to 4
    4 BUNDLES       b 2.0.0                            leads to 5
    5 ONLY_ONE      at most one bundle of package b    against 4 and 7

Numbers are unique in the explanation and follow the order of reading. A node reached twice is in the list once, so a
deep or widely shared tree is no larger than its core.

A node holds its fact as a value (:mod:`.statements`), and near misses as notes (:mod:`.near_misses`): their
``str()`` is the sentence. :mod:`olmsolve.render.explanation` makes text, Markdown and pictures of them.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import olmsolve._attrs as attrs
from olmsolve._records import Record, documented, field, record
from olmsolve.answers.explain.statements import ConflictSummary, NodeFact, RequirementFact, WholeChannel
from olmsolve.answers.wording import Phrase
from olmsolve.classic import Request
from olmsolve.predicates import Predicate
from olmsolve.resolution import HINDRANCES, Candidate, Resolution

if TYPE_CHECKING:
    # Explanations of classic requests wait neither for OLM v1 to load, nor for notes that they do not have.
    from olmsolve.answers.explain.near_misses import Note
    from olmsolve.answers.explain.rare_changes import RequestChange
    from olmsolve.answers.extensions import ExtensionFix
    from olmsolve.answers.held_back import HeldBackBundle
    from olmsolve.v1 import HeldBack


class NodeKind(enum.Enum):
    """The kinds of nodes: which fact a node states, and which nodes it leads to."""

    SUBSCRIPTION = "subscription"
    """A subscription must be served by one of its candidates; leads to them, and all of them fail."""
    UNKNOWN = "unknown"
    """A subscription names a catalog, package, channel or bundle that does not exist."""
    MUST_STAY = "must-stay"
    """An installed operator without a subscription must stay; leads to it."""
    QUESTION = "asked"
    """A question adds a wish to the request: for one of the candidates that it leads to."""
    BUNDLES = "bundles"
    """Candidates of one package that fail alike; leads to facts that together rule out each of them."""
    REQUIREMENT = "requirement"
    """A requirement of the bundles; leads to candidates that could meet it (all fail), against ones it rules out."""
    ONLY_ONE = "only-one"
    """At most one bundle of a package, or providing an API, is selected; against the bundles that compete."""
    REPLACES = "replaces"
    """The bundles replace an installed operator, or are replaced as one; against the other side."""
    EXCLUDED = "excluded"
    """A requirement of another bundle rules the bundles out; against that requirement."""
    DEPRECATED = "deprecated"
    """The bundles have an ``olm.deprecated`` property."""
    BROKEN = "broken"
    """The bundles, or their channel, are broken in the catalog."""
    REFUSED = "refused"
    """A system constraint of the request refuses the bundles."""
    DEMAND = "demand"
    """A house rule demands one of its candidates; leads to them, and all of them fail."""
    FORBIDDEN = "forbidden"
    """A house rule forbids the bundles."""
    KEPT_APART = "kept-apart"
    """A house rule does not want the bundles beside those that it is against."""
    LIMITED = "limited"
    """A house rule limits a sum, to which the bundles add; against the others that add to it."""
    UNREADABLE = "unreadable"
    """A catalog that cannot be read keeps the request from being resolved."""
    CATALOG = "catalog"
    """OLM v1: the number of bundles of a catalog that each filter left."""


@record(definition="place", about="Where a fact comes from.")
class NodeLocation(Record):
    """The location of a node's fact in a catalog or a request; fields that do not apply are "".

    *catalog* is ``namespace/name`` or ``@existing``; *origin* is the file and line (or document) of the blob;
    *field* is the property of the bundle (``properties[2] (olm.gvk.required)``) or the field of the request.
    """

    catalog: str = field("The catalog.", default="", empty="absent")
    bundle: str = field("The bundle.", default="", empty="absent")
    origin: str = field("The file and line.", default="", empty="absent")
    field: str = field("The field.", default="", empty="absent")

    def __str__(self) -> str:
        return ", ".join(filter(None, (self.origin, self.bundle, self.field)))


_NUMBERS: Final[Mapping[str, Any]] = {"items": {"type": "integer", "minimum": 1}, "uniqueItems": True}


@record(
    definition="node",
    about="A fact of a conflict.",
    layout=("number", "kind", "statement", "leads_to", "against", "candidates", "message", "notes", "locations"),
)
class Node(Record):
    """One fact of a conflict.

    *leads_to* and *against* are numbers of other nodes (see :class:`NodeKind`).
    """

    number: int = field("The number of the node, from 1.", schema={"minimum": 1})
    kind: NodeKind = field("The kind of fact that the node states.")
    fact: NodeFact
    leads_to: tuple[int, ...] = field("The numbers of the facts below this one.", default=(), schema=_NUMBERS)
    against: tuple[int, ...] = field("The numbers of the facts that it contradicts.", default=(), schema=_NUMBERS)
    notes: tuple[Note, ...] = field(
        "Near misses: candidates that would fit except for one detail.", default=(), empty="absent"
    )
    locations: tuple[NodeLocation, ...] = field(
        "The positions in the files of catalogs.", path="places", default=(), empty="absent"
    )

    @property
    @documented("The fact in words.")
    def statement(self) -> str:
        """The fact in words, without a full stop.

        It is a sentence for a root ("subscription a wants ..."), a noun for BUNDLES ("a 1.0.0 (stable, olm/main)"), and
        for a fact about bundles the rest of a sentence that begins with the noun ("requires the API ...").
        """
        return str(self.fact)

    @property
    def brief(self) -> str:
        """The noun of BUNDLES in short, "" for other kinds."""
        return self.fact.name if isinstance(self.fact, Phrase | WholeChannel) else ""

    @property
    @documented("The candidates that it is about.", empty="absent")
    def candidates(self) -> tuple[Candidate, ...]:
        """The members of BUNDLES, by version."""
        return self.fact.candidates if isinstance(self.fact, Phrase | WholeChannel) else ()

    @property
    @documented("The failureMessage of the requirement's author.", empty="absent")
    def message(self) -> str:
        """The author's ``failureMessage`` of a REQUIREMENT, "" if there is none."""
        return self.fact.message if isinstance(self.fact, RequirementFact) else ""

    @property
    def missing(self) -> tuple[Predicate, ...]:
        """The parts of a REQUIREMENT that nothing meets."""
        return self.fact.missing if isinstance(self.fact, RequirementFact) else ()

    def __str__(self) -> str:
        return self.statement


@record(definition="conflict", about="Facts that contradict each other, as a graph.", layout=("statement", ...))
class Conflict(Record):
    """Facts that cannot hold together, each of them needed; *summary* is what they come to.

    *roots* are the numbers of the nodes to begin with: subscriptions, demands, operators that must stay. No two
    conflicts of an explanation share a root.
    """

    summary: ConflictSummary
    roots: tuple[int, ...] = field("The number of the fact to read first.", schema=_NUMBERS)
    nodes: tuple[Node, ...] = field("The facts.")

    @property
    @documented("The conflict in one sentence.")
    def statement(self) -> str:
        """The summary in one sentence."""
        return str(self.summary)

    def __str__(self) -> str:
        return self.statement

    def by_number(self) -> Mapping[int, Node]:
        """Return the nodes by their numbers."""
        return {node.number: node for node in self.nodes}


_CLUSTER_WAYS_OUT: Final = {
    "description": "Of a command about a cluster: ways out of what its objects say, the least harm first.",
    "type": "array",
    "items": {"$ref": "#/$defs/clusterWayOut"},
    "minItems": 1,
}


@record(definition="fix", layout=("text", "changes", "resolution"))
class Fix(Record):
    """*changes* that give the request a plan together, and not if any of them is left out.

    *request* is the changed request, *resolution* the plan that resolving it gave.
    """

    changes: tuple[RequestChange, ...] = field("The changes.", schema={"minItems": 1})
    resolution: Resolution = field("The plan after them.", repr=False)
    request: Request = attrs.field(repr=False, eq=False)

    def __str__(self) -> str:
        return "; and ".join(map(str, self.changes))


@record(
    definition="olmsolve.explanation",
    title="Why a request has no solution, or what its plan leaves out",
    about="Nodes refer to each other by their numbers; see docs/explain.md.",
    layout=("semantics", "conflicts", "_fixes", "_exhausted", "held_back"),
    added={"hindrances": HINDRANCES, "clusterWaysOut": _CLUSTER_WAYS_OUT},
    schema={"dependentRequired": {"fixes": ["exhausted"], "exhausted": ["fixes"]}},
)
class Explanation(Record):
    """The reasons why a request has no plan, and the changes that would give it one.

    *semantics* is ``"documented"`` or ``"controller"``, "" for OLM v1. *fixes* come with the smallest change
    first; None if nobody looked for them. *exhausted* is true if the search for fixes ended before it had tried
    everything (see :func:`olmsolve.explanation`). *held_back* are the newer bundles that the answer leaves out, with
    what keeps them away; where there are no conflicts, they are the explanation.

    An explanation of OLM v1 has *extension_fixes* instead of *fixes*; :attr:`ways_out` are whichever there are.

    >>> import olmsolve
    >>> request = olmsolve.read_request("olmsolve/examples/unsatisfiable.yaml")
    >>> try:
    ...     olmsolve.resolve(request)
    ... except olmsolve.Unsatisfiable as failure:
    ...     explained = olmsolve.explanation(failure)
    >>> print(explained)
    subscriptions shop and parcels cannot be served together
    >>> [str(fix) for fix in explained.fixes]
    ['switch subscription shop to channel 1.x', 'delete subscription shop', 'delete subscription parcels']
    """

    conflicts: tuple[Conflict, ...] = field("The independent conflicts; none where there is a plan.")
    fixes: tuple[Fix, ...] | None = None
    semantics: str = field(
        "The semantics of compound constraints; empty for an extension.",
        default="",
        schema={"enum": ["documented", "controller", ""]},
    )
    exhausted: bool = False
    held_back: tuple[HeldBack | HeldBackBundle, ...] = field(
        "The newer bundles that the answer leaves out (docs/why.md, docs/v1.md); absent if there are none.",
        default=(),
        empty="absent",
    )
    extension_fixes: tuple[ExtensionFix, ...] | None = None

    @property
    @documented("The smallest change first; absent if they were not looked for.", path="fixes", empty="optional")
    def _fixes(self) -> tuple[Fix | ExtensionFix, ...] | None:
        return self.ways_out

    @property
    @documented("Whether the search for fixes was cut off.", path="exhausted", empty="optional")
    def _exhausted(self) -> bool | None:
        return None if self.ways_out is None else self.exhausted

    @property
    def ways_out(self) -> tuple[Fix | ExtensionFix, ...] | None:
        """The fixes of a classic request or of an extension; None if nobody looked for them."""
        return self.fixes if self.extension_fixes is None else self.extension_fixes

    @property
    def lacks_a_provider(self) -> bool:
        """Whether a requirement has no visible provider and no fix adds a catalog; then another catalog might help."""
        if any(change.brings_a_catalog for fix in self.fixes or () for change in fix.changes):
            return False
        return any(
            node.kind is NodeKind.REQUIREMENT
            and not node.leads_to
            and not node.against
            and all(note.kind.value != "empty-range" for note in node.notes)
            for conflict in self.conflicts
            for node in conflict.nodes
        )

    def __str__(self) -> str:
        return "; ".join(conflict.statement for conflict in self.conflicts)
