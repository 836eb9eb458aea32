"""The plan of a namespace as text: the install plan, the subscriptions that change, the bundles held back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from textwrap import shorten
from typing import Final

from olmsolve.cluster.objects import InstallPlan
from olmsolve.lifecycle.planning import NamespacePlan
from olmsolve.render.layout import Style, paragraph, plain

_MESSAGE: Final = 400
"""The most characters of a message: OLM names every candidate of a subscription, which takes pages."""
_MORE: Final = "olmsolve explain --namespace {namespace} says it in order; the YAML form has OLM's whole message"


def namespace_plan_text(found: NamespacePlan, *, width: int = 80, colour: bool = False) -> str:
    """Return *found* as text; *width* is in characters."""
    style = Style(width, colour)
    return "\n".join((style.bold(plain(f"Namespace {found.namespace}")), *_lines(found, style)))


def _lines(found: NamespacePlan, style: Style) -> Iterator[str]:
    # The fault is told as the reason why nothing is resolved.
    hindrances = [hindrance for hindrance in found.hindrances if hindrance != found.fault]
    for hindrance in hindrances:
        yield from paragraph(str(hindrance), style.width, indent="  - ", hanging="    ")
    for message in found.failures:
        shown = message if len(message) <= _MESSAGE else shorten(plain(message), _MESSAGE, placeholder=" ...")
        what = "will not be resolved" if message == found.prospect else "not resolved"
        yield from paragraph(f"{what}: {shown}", style.width, indent="  ", hanging="    ")
        if shown is not message:
            yield from paragraph(_MORE.format(namespace=found.namespace), style.width, indent="    ")
    if found.plan is not None:
        yield from _plan_lines(found.plan, found.replaced)
    for each in found.changed:
        yield plain(f"  subscription {each.name}: {each.state or 'no state'}, currentCSV {each.current_csv or 'none'}")
    if found.plan is None and not found.changed and not found.failures:
        yield "  OLM writes nothing new" if hindrances else "  nothing to do"
    for operator in found.held_back:
        for newer in operator.newer:
            yield from paragraph(f"held back: {newer}", style.width, indent="  - ", hanging="    ")


def _plan_lines(plan: InstallPlan, replaced: Mapping[str, str]) -> Iterator[str]:
    """Yield the lines of *plan*: the kinds of its steps by bundle, and the bundles to unpack with what they replace."""
    yield plain(f"  install plan {plan.spec_generation}: {plan.phase}, approval {plan.approval}")
    counts = Counter((step.resolving, step.kind) for step in plan.steps)
    for bundle in dict.fromkeys(step.resolving for step in plan.steps):
        kinds = ", ".join(f"{count} {kind}" for (owner, kind), count in counts.items() if owner == bundle)
        yield plain(f"    {bundle}: {kinds}")
    for lookup in plan.bundle_lookups:
        old = replaced.get(lookup.identifier, "")
        after = f", replaces {old}" if old else ""
        yield plain(f"    {lookup.identifier}: to be unpacked from {lookup.path}{after}")
