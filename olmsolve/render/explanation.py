"""Explanations as text for a terminal, a log or a ticket, as Markdown, and as mermaid flowcharts.

A flowchart has a subgraph for each conflict, arrows down the tree, and dots where branches meet.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from olmsolve._arguments import must_be
from olmsolve.answers.explain import Conflict, DropSubscription, Explanation, Misnamed, Node, NodeKind
from olmsolve.render.explanation_outline import OutlineLine, effect, outline
from olmsolve.render.held_back import held_back_groups, held_back_lines
from olmsolve.render.layout import Style, in_markdown, paragraph, plain

_INDENT: Final = 2
SATISFIABLE: Final = "This request can be satisfied: there is nothing to explain."
SATISFIED: Final = "This request can be satisfied."
FIXES_HEADING: Final = "Ways out, each confirmed by resolving again:"
MORE_FIXES: Final = "There may be others: the search for them was cut off."


def explanation_text(
    explanation: Explanation,
    *,
    width: int = 80,
    colour: bool = False,
    remedy_first: bool = False,
    brief: bool = False,
) -> str:
    """Return an explanation as text: each conflict as a tree, then the fixes; *width* is in characters.

    With *remedy_first*, the nearest way out also follows the first heading, because trees can be long. With *brief*,
    the text has only the first conflict and the nearest way out, and a last line says what else the explanation has.
    """
    must_be(explanation, "Explanation", "explanation")
    if brief and explanation.conflicts:
        return "\n".join(_brief(explanation, Style(width, colour)))
    style = Style(width, colour)
    lines: list[str] = []
    conflicts = explanation.conflicts
    if not conflicts:
        return "\n".join([SATISFIED, "", *newer] if (newer := _held_back(explanation, style)) else [SATISFIABLE])
    nearest = _nearest_way_out(explanation, style) if remedy_first else []
    if len(conflicts) > 1:
        heading = f"This request cannot be satisfied, for {len(conflicts)} independent reasons:"
        lines += [*map(style.bold, paragraph(heading, width)), *nearest, ""]
    for position, conflict in enumerate(conflicts, start=1):
        if len(conflicts) > 1:
            heading = f"{position}. {conflict.statement}"
        else:
            heading = f"This request cannot be satisfied: {conflict.statement}"
        lines += [style.bold(line) for line in paragraph(heading, width)]
        lines += nearest if len(conflicts) == 1 else []
        lines.append("")
        if tree := conflict_lines(conflict, style):
            lines += [*tree, ""]
    lines += [*ways_out(explanation, style), "", *_held_back(explanation, style)]
    while lines and not lines[-1]:
        lines.pop()
    return "\n".join(lines)


def _brief(explanation: Explanation, style: Style) -> Iterator[str]:
    """Yield the lines about one cause: the nearest way out, why there is no plan, and where to find the rest."""
    conflict, *others = explanation.conflicts
    yield from map(style.bold, paragraph(f"This request cannot be satisfied: {conflict.statement}", style.width))
    nearest = _nearest_way_out(explanation, style)
    yield from nearest
    if tree := conflict_lines(conflict, style):
        yield from ("", *tree)
    if not nearest and (lines := ways_out(explanation, style)):
        yield from ("", *lines)
    more = [f"{len(others)} more reason{'s' * (len(others) > 1)}"] * bool(others)
    more += ["other ways out"] * (len(explanation.ways_out or ()) > 1)
    if more:
        is_one = more == ["1 more reason"]
        verb, pronoun = ("is", "it") if is_one else ("are", "them")
        sentence = f"There {verb} {' and '.join(more)}: olmsolve explain lists {pronoun}."
        yield from ("", *paragraph(sentence, style.width))


def _nearest_way_out(explanation: Explanation, style: Style) -> list[str]:
    """Return the first fix as one sentence, together with the catalog that may be missing; no lines without a fix."""
    if not explanation.ways_out:
        return []
    nearest = explanation.ways_out[0]
    fix = str(nearest)
    misnamed = [conflict.summary for conflict in explanation.conflicts if isinstance(conflict.summary, Misnamed)]
    deleted = {change.subscription for change in nearest.changes if isinstance(change, DropSubscription)}
    if to_correct := [misnaming for misnaming in misnamed if misnaming.reason.subscription.name in deleted]:
        # People who have misspelt a name do not want the subscription deleted; the list of all ways out has it.
        fix = _to_correct(to_correct)
        return paragraph(f"Nearest way out: {fix[0].lower()}{fix[1:]}", style.width)
    what = f"add a catalog that has what is missing here, or {fix}" if provider_hint(explanation) else fix
    return paragraph(f"Nearest way out: {what}.", style.width)


def _held_back(explanation: Explanation, style: Style) -> list[str]:
    return held_back_lines([operator.to_dict() for operator in explanation.held_back], style)


def conflict_lines(conflict: Conflict, style: Style) -> list[str]:
    """Return the tree of one conflict, a list of indented lines."""
    return [line for outlined in outline(conflict) for line in _wrapped(outlined, style)]


def _wrapped(line: OutlineLine, style: Style) -> list[str]:
    # However deep a line is, it keeps at least half of the width.
    indent = " " * min(_INDENT * (line.depth + 1), style.width // 2)
    if line.role == "fact":
        mark = "- " if line.depth else ""
        return paragraph(f"{mark}{line.text}", style.width, indent=indent, hanging=indent + "  ")
    more = indent + ("  " if line.role == "note" and line.depth else "")
    wrapped = paragraph(line.text, style.width, indent=more, hanging=more + "  ")
    return [style.dim(line_text) for line_text in wrapped]


def provider_hint(explanation: Explanation) -> str:
    """Return the advice to add a catalog, if a requirement has no provider, else "". Unlike fixes, it is not proved."""
    if explanation.ways_out is None or not explanation.lacks_a_provider:
        return ""
    return "Or add a catalog that provides what is missing here; olmsolve explain --known NAME=PATH tries one."


def ways_out(explanation: Explanation, style: Style | None = None) -> list[str]:
    """Return the fixes as lines, or that none was found; nothing if nobody searched for fixes."""
    style = style or Style()
    if explanation.ways_out is None:
        return []
    if not explanation.ways_out:
        sentences = filter(None, (nothing_found(explanation), provider_hint(explanation)))
        return paragraph(" ".join(sentences), style.width)
    lines = [*map(style.bold, paragraph(FIXES_HEADING, style.width)), ""]
    for position, fix in enumerate(explanation.ways_out, start=1):
        label = f"  {position}. "
        hanging = " " * len(label)
        lines += paragraph(str(fix), style.width, indent=label, hanging=hanging)
        lines += [style.dim(line) for line in paragraph(effect(fix), style.width, indent=hanging)]
    if explanation.exhausted:
        lines += ["", *paragraph(MORE_FIXES, style.width)]
    if hint := provider_hint(explanation):
        lines += ["", *paragraph(hint, style.width)]
    return lines


def nothing_found(explanation: Explanation) -> str:
    """Return what there is to say where no fix was found."""
    if explanation.exhausted:
        return "No way out was found before the search for one was cut off."
    if not explanation.semantics:
        return "No change to the extension and its catalogs that was considered gives it a bundle."
    misnamed = [conflict.summary for conflict in explanation.conflicts if isinstance(conflict.summary, Misnamed)]
    if not misnamed:
        what = "the subscriptions, installed operators and known catalogs"
        return f"No change to {what} that was considered gives a lasting plan."
    if len(misnamed) == len(explanation.conflicts):
        return _to_correct(misnamed)
    return f"There is no plan while a name does not exist. {_to_correct(misnamed)}"


def _to_correct(misnamed: Sequence[Misnamed]) -> str:
    """Return the advice to correct the names that do not exist; unlike fixes, it is not proved."""
    things = list(dict.fromkeys(misnaming.thing for misnaming in misnamed))
    advice = f"Correct the name of the {' and of the '.join(things)}"
    if "package" in things:
        return f"{advice}, or add a catalog that has it; olmsolve explain --known NAME=PATH tries one."
    return f"{advice}, or create it." if things == ["catalog"] else f"{advice}."


def explanation_markdown(explanation: Explanation) -> str:
    """Return an explanation as Markdown: a heading and a nested list for each conflict, then the numbered fixes."""
    must_be(explanation, "Explanation", "explanation")
    return "\n".join(_markdown(explanation)) + "\n"


def _markdown(explanation: Explanation) -> Iterator[str]:
    if not explanation.conflicts:
        yield SATISFIED if explanation.held_back else SATISFIABLE
        yield from _markdown_held_back(explanation)
        return
    yield "# This request cannot be satisfied"
    for conflict in explanation.conflicts:
        yield ""
        yield f"## {in_markdown(conflict.statement)}"
        yield ""
        for line in outline(conflict):
            if line.role == "note":
                yield f"{'  ' * (line.depth + 1)}*{in_markdown(line.text)}*"
            else:
                yield f"{'  ' * line.depth}- {in_markdown(line.text)}"
    yield from _markdown_fixes(explanation)
    yield from _markdown_held_back(explanation)


def _markdown_held_back(explanation: Explanation) -> Iterator[str]:
    groups = held_back_groups([operator.to_dict() for operator in explanation.held_back])
    if groups:
        yield from ("", "## Held back", "", *(f"- {in_markdown(group)}" for group in groups))


def _markdown_fixes(explanation: Explanation) -> Iterator[str]:
    if explanation.ways_out is None:
        return
    yield ""
    yield "## Ways out"
    yield ""
    if not explanation.ways_out:
        yield nothing_found(explanation)
    for position, fix in enumerate(explanation.ways_out, start=1):
        yield f"{position}. {in_markdown(str(fix))}"
        yield f"   *{in_markdown(effect(fix))}*"
    if explanation.exhausted and explanation.ways_out:
        yield ""
        yield MORE_FIXES
    if hint := provider_hint(explanation):
        yield ""
        yield hint


_ROOTS: Final = frozenset({NodeKind.SUBSCRIPTION, NodeKind.UNKNOWN, NodeKind.MUST_STAY, NodeKind.DEMAND})
_DEAD: Final = frozenset({NodeKind.DEPRECATED, NodeKind.BROKEN, NodeKind.REFUSED, NodeKind.FORBIDDEN, NodeKind.UNKNOWN})
_CLASSES: Final = (
    "  classDef root fill:#DDEBFF,stroke:#1F5FBF,color:#0B1F3F",
    "  classDef dead fill:#FFE1DC,stroke:#B3261E,color:#410E0B",
)


def explanation_mermaid(explanation: Explanation) -> str:
    """Return all nodes of *explanation* as a mermaid flowchart that ends with a line end; fixes are not drawn."""
    return "\n".join(_mermaid_lines(explanation)) + "\n"


def _mermaid_lines(explanation: Explanation) -> Iterator[str]:
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
