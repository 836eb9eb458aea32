"""Explanations as pages: a folding tree for each conflict, lists of candidates, and the fixes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from olmsolve._arguments import must_be
from olmsolve._patterns import pattern
from olmsolve._records import evolve
from olmsolve.answers.explain import Conflict, Explanation, Fix, Node, NodeKind
from olmsolve.render.explanation import SATISFIABLE, SATISFIED, nothing_found, provider_hint
from olmsolve.render.held_back import held_back_groups
from olmsolve.render.html.page import Markup, bounded_list, element, page, search_field
from olmsolve.render.html.plan_page import installs_table
from olmsolve.render.layout import counted

if TYPE_CHECKING:
    from olmsolve.answers.extensions import ExtensionFix
    from olmsolve.cluster import Hindrance
    from olmsolve.lifecycle.ways_out import ClusterWayOut

_OPTION: Final = pattern(r"(?<= )(--[\w-]+)")
# Browsers give up on elements nested deeper than a few hundred levels; readers do long before.
_DEEPEST: Final = 12
# Nodes below this depth are folded at first: the first levels say what fails, the others why.
_OPEN: Final = 6
_SHOWN_AT_ONCE: Final = 5

_LABELS: Final = {
    NodeKind.SUBSCRIPTION: "wish",
    NodeKind.UNKNOWN: "unknown",
    NodeKind.MUST_STAY: "must stay",
    NodeKind.QUESTION: "asked",
    NodeKind.BUNDLES: "candidates",
    NodeKind.REQUIREMENT: "requires",
    NodeKind.ONLY_ONE: "only one",
    NodeKind.REPLACES: "replaces",
    NodeKind.EXCLUDED: "excluded",
    NodeKind.DEPRECATED: "deprecated",
    NodeKind.BROKEN: "broken",
    NodeKind.REFUSED: "refused",
    NodeKind.DEMAND: "house rule",
    NodeKind.FORBIDDEN: "house rule",
    NodeKind.KEPT_APART: "house rule",
    NodeKind.LIMITED: "house rule",
    NodeKind.UNREADABLE: "unreadable",
    NodeKind.CATALOG: "catalog",
}


def explanation_html(
    explained: Explanation,
    *,
    hindrances: Sequence[Hindrance] = (),
    ways: Sequence[ClusterWayOut] = (),
    about: Sequence[str] = (),
) -> str:
    """Return *explained* as an HTML document that ends with a line end.

    *hindrances* are what the objects of a cluster say, and *ways* the ways out of the cluster, which come first and
    have the changes of the request among them. *about* says what the page was made of (files, catalogs).
    """
    must_be(explained, "Explanation", "explained")
    said, helping = list(_hindrance_sections(hindrances)), list(_cluster_ways_out(ways))
    if not explained.conflicts:
        satisfied = element("p", SATISFIED if explained.held_back or said or helping else SATISFIABLE)
        main = element("main", *said, *helping, satisfied, *_held_back(explained))
        return page("There is a plan", [main], about=about, styles=["reasons"])
    several = len(explained.conflicts) > 1
    title = f"No plan: {len(explained.conflicts)} conflicts" if several else "No plan"
    shown = evolve(explained, fixes=None) if ways else explained
    # What failed in a sentence, then what to do, then why: who only wants to go on need not read messages and trees.
    failed = (element("p", conflict.statement, class_="statement") for conflict in explained.conflicts)
    stated = element("div", *failed, class_="failed")
    main = element("main", stated, *helping, *explanation_parts(shown, controls=_controls(), said=said))
    return page(title, [main], about=about, styles=["reasons"], scripts=["reasons"])


def _hindrance_sections(hindrances: Sequence[Hindrance]) -> Iterator[Markup]:
    """Yield what the objects of the cluster say, and what comes of it."""
    if not hindrances:
        return
    # Who asks about a request alone does not wait for clusters to load.
    from olmsolve.lifecycle.planning import Foreseen

    for heading, is_foreseen in (("The cluster's objects say", False), ("As a result", True)):
        some = [str(hindrance) for hindrance in hindrances if isinstance(hindrance, Foreseen) is is_foreseen]
        if some:
            yield element("section", element("h2", heading), bounded_list(some, "line"))


def _cluster_ways_out(ways: Sequence[ClusterWayOut]) -> Iterator[Markup]:
    """Yield the ways out of the cluster with their commands."""
    if not ways:
        return
    from olmsolve.render.cluster_commands import cluster_change_commands, comes_of

    items = []
    for way in ways:
        parts: list[Markup | str] = [element("strong", str(way.change)), f": {comes_of(way)}"]
        if way.change.risk:
            parts.append(element("p", f"risk: {way.change.risk}", class_="soft"))
        commands = cluster_change_commands(way.change)
        if commands:
            parts.append(element("pre", element("code", *_whole_options("\n".join(commands))), class_="scroll"))
        items.append(element("li", *parts))
    yield element("section", element("h2", "Ways out, the least harm first"), element("ol", *items, class_="fixes"))


def _whole_options(commands: str) -> Iterator[str]:
    """Yield *commands* in parts, with options in which no line breaks after a hyphen."""
    for position, part in enumerate(_OPTION.split(commands)):
        yield element("span", part, class_="whole") if position % 2 else part


def explanation_parts(
    explained: Explanation,
    *,
    prefix: str = "",
    level: int = 2,
    most_candidates: int | None = None,
    controls: Markup | None = None,
    said: Iterable[Markup] = (),
) -> Iterator[Markup]:
    """Yield the changes that would help, the conflicts of *explained*, and what is held back.

    A page with several explanations gives each a *prefix* for the names of its nodes, the *level* of its headings, and
    a bound on the candidates that a fact lists. *said*, from the objects of a cluster, comes before
    the conflicts, and *controls*, which search and fold the trees, are above them. The statement of a single conflict
    is left to the page, which begins with it.
    """
    several = len(explained.conflicts) > 1
    yield from _fixes(explained, level)
    yield from said
    for number, conflict in enumerate(explained.conflicts, start=1):
        heading = element(f"h{level}", f"Conflict {number}" if several else "Conflict")
        statement = element("p", conflict.statement, class_="statement") if several else ""
        conflict_prefix = f"{prefix}c{number}-" if prefix else ""
        blocks = _Blocks(conflict, conflict_prefix, most_candidates).blocks()
        yield element("section", heading, controls or "", statement, element("div", *blocks, class_="tree"))
        controls = None
    yield from _held_back(explained, level)


def _controls() -> Markup:
    unfold = element("button", "Unfold all", type="button", data_action="unfold")
    return search_field(
        "Candidates", unfold, element("button", "Fold all", type="button", data_action="fold"), data_filters="li"
    )


class _Blocks:
    """The nodes of a conflict, each written once, where a reader meets it first; later mentions are links."""

    def __init__(self, conflict: Conflict, prefix: str, most_candidates: int | None) -> None:
        self._prefix, self._most_candidates = prefix, most_candidates
        self._nodes = conflict.by_number()
        self._roots = conflict.roots
        self._written: set[int] = set()

    def blocks(self) -> Iterator[Markup]:
        """Yield the trees: roots first, then the branches that were too deep for them."""
        waiting = list(self._roots)
        while waiting:
            number = waiting.pop(0)
            if number not in self._written:
                yield self._branch(number, 1, waiting)
        # Roots lead to every node of a core. Should a node ever be unreachable, it is shown and not lost.
        for number in self._nodes:
            if number not in self._written:
                yield self._branch(number, 1, [])

    def _branch(self, number: int, depth: int, waiting: list[int], above: int = 0) -> Markup:
        node = self._nodes[number]
        if number in self._written:
            return element("p", "see ", self._link(node), class_="leaf soft")
        if depth > _DEEPEST:
            waiting.append(number)
            return element("p", "continues at ", self._link(node), class_="leaf soft")
        self._written.add(number)
        line = [element("span", str(number), class_="number"), element("span", _LABELS[node.kind], class_="kind")]
        line.append(element("span", f" {node.statement}", class_="says"))
        inside = list(_details(node, self._most_candidates))
        inside += [self._branch(below, depth + 1, waiting, number) for below in node.leads_to]
        others = [self._nodes[contrary] for contrary in node.against if contrary != above]
        inside += [element("p", "against ", self._link(other), class_="leaf soft") for other in others]
        classes = f"node {node.kind.value}"
        if not inside:
            return element("p", *line, class_=f"leaf {classes}", id=self._id(number))
        return element(
            "details", element("summary", *line), *inside, class_=classes, id=self._id(number), open=depth <= _OPEN
        )

    def _id(self, number: int) -> str:
        return f"{self._prefix}n{number}"

    def _link(self, node: Node) -> Markup:
        return element("a", f"{node.number}: {node.statement}", href=f"#{self._id(node.number)}")


def _details(node: Node, most_candidates: int | None) -> Iterator[Markup]:
    if node.message:
        yield element("p", "The author says: ", element("q", node.message), class_="message")
    for note in node.notes:
        yield element("p", str(note), class_="note")
    if node.kind is NodeKind.BUNDLES and len(node.candidates) > 1:
        yield _candidates(node, most_candidates)
        return
    for location in node.locations:
        if str(location):
            yield element("p", str(location), class_="place")


def _candidates(node: Node, most: int | None) -> Markup:
    """Return the candidates of *node* (at most *most*), each with its location in the files of its catalog."""
    origins = {(location.catalog, location.bundle): location.origin for location in node.locations}
    entries = [
        element(
            "li",
            element("code", candidate.name),
            f" {', '.join(filter(None, (candidate.channel, candidate.catalog)))} ",
            element("span", origins.get((candidate.catalog, candidate.name), ""), class_="place"),
            data_filter=f"{candidate.name} {candidate.package} {candidate.channel} {candidate.catalog}".lower(),
        )
        for candidate in node.candidates[:most]
    ]
    if most is not None and len(node.candidates) > most:
        entries.append(element("li", f"... and {len(node.candidates) - most:,} more", class_="soft"))
    return element(
        "details",
        element("summary", counted(len(node.candidates), "candidate")),
        element("ul", *entries),
        class_="candidates",
        open=len(node.candidates) <= _SHOWN_AT_ONCE,
    )


def _held_back(explained: Explanation, level: int = 2) -> Iterator[Markup]:
    groups = held_back_groups([operator.to_dict() for operator in explained.held_back])
    if groups:
        yield element(f"h{level}", "Held back")
        yield element("ul", *(element("li", group) for group in groups))


def _fixes(explained: Explanation, level: int) -> Iterator[Markup]:
    if explained.ways_out is None:
        return
    yield element(f"h{level}", "What would help")
    if explained.ways_out:
        yield element("p", "Each of these was resolved again; the smallest change comes first.", class_="soft")
        yield element("ol", *map(_fix, explained.ways_out), class_="fixes")
    else:
        yield element("p", nothing_found(explained))
    if explained.exhausted and explained.ways_out:
        yield element("p", "There may be more: the search for changes ended before it had tried all.", class_="note")
    if hint := provider_hint(explained):
        yield element("p", hint, class_="soft")


def _fix(fix: Fix | ExtensionFix) -> Markup:
    if not isinstance(fix, Fix):
        return element("li", element("strong", str(fix)), f", {fix.effect}")
    installs = fix.resolution.installs
    changes = element("strong", str(fix))
    if not installs:
        return element("li", changes, ": then there is nothing to install")
    summary = element("summary", f"then {counted(len(installs), 'bundle')} will be installed")
    plan = element("details", summary, installs_table(fix.resolution))
    return element("li", changes, plan)
