"""The sentences that OLM writes into the status of subscriptions when a request is unsatisfiable."""

from __future__ import annotations

from collections.abc import Iterator

from olmsolve.catalog import namespace_and_name
from olmsolve.classic import (
    Deprecated,
    MustStay,
    OnePerAPI,
    OnePerPackage,
    Reason,
    Requires,
    Subscription,
    SubscriptionWants,
    UnknownCatalog,
    UnknownChannel,
    UnknownPackage,
    UnknownStartingCSV,
    Unsatisfiable,
)
from olmsolve.resolution import EXISTING, Candidate


def unsatisfiable_words(failure: Unsatisfiable, namespace: str) -> str:
    """Return the message of the condition ``ResolutionFailed`` for *failure* in *namespace*.

    Our core gives the reasons; where several cores exist, OLM may name another.
    """
    said = [words for reason in failure.core for words in _words(reason, namespace)]
    return f"constraints not satisfiable: {', '.join(sorted(said))}"


def _words(reason: Reason, namespace: str) -> Iterator[str]:
    if isinstance(reason, (UnknownCatalog, UnknownPackage, UnknownChannel, UnknownStartingCSV)):
        yield f"no operators found {_nowhere(reason)} referenced by subscription {reason.subscription.name}"
        yield f"subscription {reason.subscription.name} exists"
    elif isinstance(reason, SubscriptionWants):
        name = reason.subscription.name
        listed = [_candidate(candidate, namespace) for candidate in reason.candidates]
        at_least = "at least one of " if len(listed) > 1 else ""
        yield f"subscription {name} exists"
        if listed:
            yield f"subscription {name} requires {at_least}{_enumerated(listed, 'or')}"
    elif isinstance(reason, MustStay):
        yield f"clusterserviceversion {reason.operator.name} exists and is not referenced by a subscription"
    elif isinstance(reason, OnePerAPI):
        group, version, kind = reason.api
        listed = sorted(_candidate(candidate, namespace) for candidate in reason.candidates)
        yield f"{_enumerated(listed, 'and')} provide {kind} ({group}/{version})"
    elif isinstance(reason, OnePerPackage):
        listed = sorted(_candidate(candidate, namespace) for candidate in reason.candidates)
        yield f"{_enumerated(listed, 'and')} originate from package {reason.package}"
    elif isinstance(reason, Requires):
        yield f"bundle {reason.bundle.name} requires {reason.predicate.as_olm_says}"
    elif isinstance(reason, Deprecated):
        yield f"bundle {_candidate(reason.candidate, namespace)} is deprecated"
    else:
        yield str(reason)


def _nowhere(reason: UnknownCatalog | UnknownPackage | UnknownChannel | UnknownStartingCSV) -> str:
    wanted: Subscription = reason.subscription
    in_catalog = f"package {wanted.package} in the catalog"
    if isinstance(reason, UnknownCatalog):
        return f"from catalog {wanted.source} in namespace {wanted.source_namespace}"
    if isinstance(reason, UnknownPackage):
        return f"in {in_catalog}"
    of_channel = f"in channel {wanted.channel} of {in_catalog}"
    if isinstance(reason, UnknownChannel):
        return of_channel
    return f"with name {wanted.starting_csv} {of_channel if wanted.channel else f'in {in_catalog}'}"


def _candidate(candidate: Candidate, namespace: str) -> str:
    if candidate.catalog == EXISTING:
        return f"{EXISTING}/{namespace}//{candidate.name}"
    # OLM itself writes the catalog's name first.
    source_namespace, source = namespace_and_name(candidate.catalog)
    return f"{source}/{source_namespace}/{candidate.channel}/{candidate.name}"


def _enumerated(items: list[str], word: str) -> str:
    """Return *items* as one text, the last two joined by *word*."""
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} {word} {items[-1]}"
