"""Reports about clusters as text: what OLM would do, operator groups, what blocks the next version, and metrics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from textwrap import shorten
from typing import TYPE_CHECKING, Final

from olmsolve.cluster.objects import InstallPlan
from olmsolve.lifecycle.planning import NamespacePlan
from olmsolve.render.layout import Style, counted, paragraph, plain, table

if TYPE_CHECKING:  # each report has a caller that has loaded its room
    from olmsolve.cluster.operator_groups import GroupsReport
    from olmsolve.lifecycle import ClusterUpdate
    from olmsolve.lifecycle.metrics import MetricFamily


def operator_groups_text(found: GroupsReport, *, width: int = 80, colour: bool = False) -> str:
    """Return each namespace's group with its targets and operators, then every fault; *width* is in characters."""
    style = Style(width, colour)
    operators: dict[str, list[str]] = {}
    for operator in found.operators:
        operators.setdefault(operator.namespace, []).append(operator.name)
    rows = [
        (group.namespace, group.name, _targets(group.targets), ", ".join(operators.get(group.namespace, ())))
        for group in found.groups
    ]
    grouped = {group.namespace for group in found.groups}
    rows += [(name, "none", "", ", ".join(names)) for name, names in operators.items() if name not in grouped]
    if not rows:
        return "No operator group and no operator."
    rows.sort()
    lines = table(("NAMESPACE", "GROUP", "TARGETS", "OPERATORS"), rows, style.width)
    if lines is None:
        lines = [line for row in rows for line in _block(row, style)]
    else:
        lines[0] = style.bold(lines[0])
    faults = str(found).splitlines()
    if faults:
        lines += ["", style.bold(f"{counted(len(faults), 'fault')}:")]
        lines += [line for fault in faults for line in paragraph(fault, style.width, indent="  ", hanging="      ")]
    return "\n".join(lines)


def _block(row: tuple[str, str, str, str], style: Style) -> Iterator[str]:
    """Yield the lines of a group whose *row* is wider than the table may be."""
    namespace, group, targets, operators = row
    yield style.bold(plain(f"{namespace}: group {group}"))
    for title, text in (("targets", targets), ("operators", operators)):
        if text:
            yield from paragraph(f"{title}: {text}", style.width, indent="  ", hanging="      ")


def _targets(namespaces: tuple[str, ...]) -> str:
    return "all namespaces" if namespaces == ("",) else ", ".join(namespaces) or "none"


_UNINSTALLED: Final = "freed once it is uninstalled, which deletes its definitions and all objects of their kinds"


def cluster_update_text(found: ClusterUpdate, *, width: int = 80, colour: bool = False) -> str:
    """Return the operators that block the update of a cluster, each with its way out; *width* is in characters."""
    style = Style(width, colour)
    if not found.is_blocked:
        return f"No installed operator blocks the update to OpenShift {found.update}."
    count = len(found.operators) + len(found.extensions)
    verb = "blocks" if count == 1 else "block"
    what = "installed operator" if not found.extensions else "installed bundle"
    title = f"{counted(count, what)} {verb} the update to OpenShift {found.update}:"
    lines = [style.bold(title)]
    for operator in found.operators:
        blocking = operator.blocking
        until = f" works up to OpenShift {blocking.maximum}" if blocking.maximum else f": {blocking.reason}"
        lines += paragraph(f"{blocking.key}{until}", style.width, indent="  ", hanging="      ")
        way = f"freed where {operator.way}" if operator.way is not None else "no way out was found"
        why = ", once this is over:" if operator.way is not None else ":"
        lines += paragraph(f"{way}{why if operator.hindrances else ''}", style.width, indent="    ", hanging="      ")
        for hindrance in operator.hindrances:
            lines += paragraph(str(hindrance), style.width, indent="      ", hanging="        ")
    for extension in found.extensions:
        blocking = extension.blocking
        until = f" works up to OpenShift {blocking.maximum}" if blocking.maximum else f": {blocking.reason}"
        text = f"{blocking.key} of extension {extension.extension}{until}"
        lines += paragraph(text, style.width, indent="  ", hanging="      ")
        ways = [f"freed once it gets {', then '.join(extension.updates)}"] if extension.updates else []
        ways += [f"freed by this: {fix}; {fix.effect}" for fix in extension.fixes]
        if not extension.updates:
            ways.append(_UNINSTALLED if ways else f"no other way out was found: {_UNINSTALLED}")
        for way in ways:
            lines += paragraph(way, style.width, indent="    ", hanging="      ")
    return "\n".join(lines)


def metrics_text(families: Iterable[MetricFamily], *, width: int = 80, colour: bool = False) -> str:
    """Return *families* for people, a line for each sample; *width* is in characters.

    The text that Prometheus reads is made by :func:`olmsolve.exposition`.
    """
    style = Style(width, colour)
    lines: list[str] = []
    for family in families:
        lines += [style.bold(plain(family.name)), *paragraph(family.help, style.width, indent="  ")]
        for sample in family.samples:
            labels = ", ".join(f"{name} {value}" for name, value in sample.labels.items() if value)
            value = f"{sample.value:,.3f}".rstrip("0").rstrip(".")
            name = " ".join(filter(None, (sample.suffix.lstrip("_"), labels)))
            lines += paragraph(f"{name}: {value}" if name else value, style.width, indent="    ", hanging="      ")
    return "\n".join(lines) or "No metrics."


_MESSAGE: Final = 400
"""The most characters of a message: OLM names every candidate of a subscription, which takes pages."""
_MORE: Final = "olmsolve explain --namespace {namespace} says it in order; the YAML form has OLM's whole message"


def namespace_plan_text(plan: NamespacePlan, *, width: int = 80, colour: bool = False) -> str:
    """Return *plan* as text; *width* is in characters."""
    style = Style(width, colour)
    return "\n".join((style.bold(plain(f"Namespace {plan.namespace}")), *_lines(plan, style)))


def _lines(plan: NamespacePlan, style: Style) -> Iterator[str]:
    # The fault is reported as the reason why nothing is resolved.
    hindrances = [hindrance for hindrance in plan.hindrances if hindrance != plan.fault]
    for hindrance in hindrances:
        yield from paragraph(str(hindrance), style.width, indent="  - ", hanging="    ")
    for message in plan.failures:
        shown = message if len(message) <= _MESSAGE else shorten(plain(message), _MESSAGE, placeholder=" ...")
        what = "will not be resolved" if message == plan.prospect else "not resolved"
        yield from paragraph(f"{what}: {shown}", style.width, indent="  ", hanging="    ")
        if shown is not message:
            yield from paragraph(_MORE.format(namespace=plan.namespace), style.width, indent="    ")
    if plan.plan is not None:
        yield from _plan_lines(plan.plan, plan.replaced)
    for subscription in plan.changed:
        state, current = subscription.state or "no state", subscription.current_csv or "none"
        yield plain(f"  subscription {subscription.name}: {state}, currentCSV {current}")
    if plan.plan is None and not plan.changed and not plan.failures:
        yield "  OLM writes nothing new" if hindrances else "  nothing to do"
    for operator in plan.held_back:
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
