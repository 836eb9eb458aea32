"""Explanations as mermaid flowcharts: a subgraph for each conflict, arrows down the tree, dots where branches meet."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from olmsolve.answers.explain import Explanation, Node, NodeKind
from olmsolve.render.layout import plain

_ROOTS: Final = frozenset({NodeKind.SUBSCRIPTION, NodeKind.UNKNOWN, NodeKind.MUST_STAY, NodeKind.DEMAND})
_DEAD: Final = frozenset({NodeKind.DEPRECATED, NodeKind.BROKEN, NodeKind.REFUSED, NodeKind.FORBIDDEN, NodeKind.UNKNOWN})
_CLASSES: Final = (
    "  classDef root fill:#DDEBFF,stroke:#1F5FBF,color:#0B1F3F",
    "  classDef dead fill:#FFE1DC,stroke:#B3261E,color:#410E0B",
)


def explanation_mermaid(explanation: Explanation) -> str:
    """Return all nodes of *explanation* as a mermaid flowchart that ends with a line end; fixes are not drawn."""
    return "\n".join(_lines(explanation)) + "\n"


def _lines(explanation: Explanation) -> Iterator[str]:
    yield "graph TD"
    yield from _CLASSES
    for position, conflict in enumerate(explanation.conflicts, start=1):
        yield f"  subgraph conflict{position}[{_quoted(conflict.statement)}]"
        for node in conflict.nodes:
            yield f"    n{node.number}[{_quoted(_label(node))}]{_style(node)}"
        for node in conflict.nodes:
            for number in node.leads_to:
                yield f"    n{node.number} --> n{number}"
            for number in node.against:
                yield f"    n{node.number} -.- n{number}"
        yield "  end"


def _label(node: Node) -> str:
    lines = [node.statement, node.message and f"its author says: {node.message}", *(note.text for note in node.notes)]
    return "\n".join(filter(None, lines))


def _style(node: Node) -> str:
    hopeless = node.kind is NodeKind.REQUIREMENT and not node.leads_to and not node.against
    if node.kind in _DEAD or hopeless:
        return ":::dead"
    return ":::root" if node.kind in _ROOTS else ""


def _quoted(text: str) -> str:
    """Return *text* as a label. Mermaid writes HTML's entities as ``#quot;``, and line breaks as ``<br/>``."""
    lines = (plain(line).replace("#", "#35;").replace('"', "#quot;") for line in text.split("\n"))
    return '"' + "<br/>".join(line.replace("<", "#lt;").replace(">", "#gt;") for line in lines) + '"'
