"""Whether a plan meets every rule of classic OLM, under CONTROLLER semantics, whatever is preferred."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from olmsolve import Request
from olmsolve.predicates import Published, published, requirements
from olmsolve.resolution import EXISTING, Candidate


def broken_rules(request: Request, selected: Iterable[Candidate]) -> list[str]:
    """The rules that *selected* breaks, in words; none for a valid plan."""
    chosen = list(selected)
    facts = {candidate: _facts(request, candidate) for candidate in chosen}
    broken: list[str] = []
    exclusive = Counter(
        group
        for published_facts in facts.values()
        for group in (*published_facts.gvks, *dict(published_facts.packages))
    )
    broken.extend(f"{group} is there {count} times" for group, count in exclusive.items() if count > 1)
    for candidate, own in facts.items():
        if own.deprecated:
            broken.append(f"{candidate} is deprecated")
        broken.extend(
            f"{candidate} lacks {requirement}"
            for requirement in requirements(own.properties)
            if not any(requirement.predicate.test(other) for other in facts.values())
        )
    names = {candidate.name for candidate in chosen if candidate.catalog == EXISTING}
    owners = request.owners()
    broken.extend(
        f"{operator.name} must stay"
        for operator in request.installed
        if operator.name not in owners and operator.name not in names
    )
    for subscription in request.subscriptions:
        stays = any(owners.get(name) is subscription for name in names)
        served = any(
            candidate.package == subscription.package
            and candidate.catalog != EXISTING
            and subscription.channel in ("", candidate.channel)
            and (
                not subscription.source
                or candidate.catalog == _source(subscription.source, subscription.source_namespace)
            )
            for candidate in chosen
        )
        if not stays and not served:
            broken.append(f"{subscription.name} is not served")
    return broken


def _source(name: str, namespace: str) -> str:
    return f"{namespace}/{name}"


def _facts(request: Request, candidate: Candidate) -> Published:
    if candidate.catalog == EXISTING:
        operator = next(o for o in request.installed if o.name == candidate.name)
        return published("", operator.properties, version=operator.version or None)
    source = next(s for s in request.sources if s.key == candidate.catalog)
    package = source.catalog.packages[candidate.package]
    channel = package.channels[candidate.channel]
    assert any(entry.name == candidate.name for entry in channel.entries)
    return published(package.name, package.bundles[candidate.name].properties)
