"""The verb of the room: decide whether a certificate proves its claim.

The verb also finds installed operators of one package, between which the shipped controller has no order.

As recorded, the controller orders all candidates of each requirement that it looks at before it solves. Installed
operators have no channel, so two of one package and different owners are an error as soon as both meet a requirement
(docs/semantics.md, "Broken channels and requirements"). The controller then resolves nothing, so no plan is right,
whatever its proof.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Literal

from olmsolve import events, resolution
from olmsolve._arguments import must_be
from olmsolve._limits import Cancellation, checked, scoped
from olmsolve._records import Record, documented, evolve, field, record
from olmsolve.answers.plain_reading import BundleTest
from olmsolve.answers.verification.document import (
    CertificateReader,
    Heading,
    catalog_digests,
    read_heading,
    request_digest,
    written_candidate,
)
from olmsolve.answers.verification.facts import AnyCandidate, NoCandidate, Proposition
from olmsolve.answers.verification.numbers_by_fact import NumbersByFact
from olmsolve.answers.verification.replaying import WORK, QueuedWish, Refutation, Rejected, TooMuchWork, Work, replay
from olmsolve.answers.verification.solution_rules import ClaimedPlan, Flaw, Objection, broken
from olmsolve.answers.verification.world import PlainCandidate, World
from olmsolve.classic import HealthPolicy, Request, Semantics
from olmsolve.errors import CatalogError, RequestError
from olmsolve.resolution import EXISTING


def without_order(request: Request, world: World) -> Objection | None:
    """Return the objection that the controller cannot order two operators of *request*, None if it can."""
    rivals = _rivals(request, world)
    if not rivals:
        return None
    for predicate in _considered(world):
        for operators in rivals:
            meeting = [(installed.name, owner) for installed, owner in operators if predicate.test(installed.published)]
            if len({owner for _, owner in meeting}) > 1:
                names = " and ".join(name for name, _ in meeting)
                return Objection.stating(Flaw.NO_ORDER, operators=names)
    return None


def _rivals(request: Request, world: World) -> list[list[tuple[PlainCandidate, str]]]:
    """Return each package with installed operators of several owners, and these operators with their owners.

    The owner is the name of a subscription, "" for none. An operator that another one replaces right now is left out.
    """
    owners = {name: owner.name for name, owner in request.owners().items()}
    leaving = {
        present.name
        for present in request.installed
        if present.replaced_by in {other.name for other in request.installed}
    }
    rivals: dict[str, dict[PlainCandidate, str]] = {}
    for operator in world.existing:
        if operator.name not in leaving:
            for package, _ in operator.published.packages:
                rivals.setdefault(package, {})[operator] = owners.get(operator.name, "")
    return [list(rival.items()) for rival in rivals.values() if len(set(rival.values())) > 1]


def _considered(world: World) -> Iterator[BundleTest]:
    """Yield each requirement that the controller looks at: of operators, of what serves subscriptions, and so on.

    Candidates that can never be selected count as well, since it looks at their requirements too.
    """
    everyone = list(world.offered())
    table = NumbersByFact(everyone)
    waiting = [*world.existing, *world.considered]
    reached = dict.fromkeys(waiting)
    predicates: dict[BundleTest, None] = {}
    # The list grows while it is walked, so it is the queue of a breadth-first search.
    for candidate in checked(waiting, every=16):
        for requirement in candidate.requirements:
            predicate = requirement.predicate
            if predicate in predicates:
                continue
            predicates[predicate] = None
            yield predicate
            for number in checked(table.numbers([predicate]), every=256):
                other = everyone[number]
                if other not in reached and predicate.test(other.published):
                    reached[other] = None
                    waiting.append(other)


def _objection_text(objection: Objection | None) -> str | None:
    return None if objection is None else str(objection)


@record(
    definition="olmsolve.verdict",
    title="What the checker says of a certificate",
    about="docs/certificates.md gives the meaning of the fields.",
    layout=("valid", ..., "text"),
)
class Verdict(Record):
    """The claim of a certificate about a request, and whether the certificate proves it.

    *kind* is ``plan`` or ``unsatisfiable``. *reason* says why it proves nothing (None if it is valid). *selected* is
    the plan in order of selection, with the operators that stay installed; *refuted* counts the candidates that would
    come first and were proved impossible. *unreadable* are visible catalogs that cannot be read: the verdict is
    about the others. A valid verdict is true in a condition: ``if verify(certificate, request): ...``.
    """

    kind: Literal["plan", "unsatisfiable"] = field(
        "plan or unsatisfiable, empty where the certificate does not say it.", schema={"type": "string", "enum": None}
    )
    semantics: Semantics = field("The semantics of compound constraints.")
    reason: Objection | None = field("Why it is not valid.", default=None, written=_objection_text)
    selected: tuple[resolution.Candidate, ...] = field("What the proved plan selects.", default=())
    refuted: int = field("How many ways were refuted.", default=0)
    unreadable: tuple[str, ...] = field("Visible catalogs that cannot be read.", default=())

    @property
    @documented("Whether the certificate proves what it says.")
    def valid(self) -> bool:
        return self.reason is None

    def __bool__(self) -> bool:
        return self.valid

    def __str__(self) -> str:
        if self.reason is not None:
            return f"the certificate is not valid: {self.reason}"
        controller = self.semantics is Semantics.CONTROLLER
        by = " as the shipped controller decides" if controller else ""
        if self.kind == "unsatisfiable":
            text = f"valid: the request cannot be satisfied{by}"
        else:
            better = f"{self.refuted} candidate{'' if self.refuted == 1 else 's'} that would come first"
            bundles = f"{len(self.selected)} bundle{'' if len(self.selected) == 1 else 's'}"
            text = f"valid: the preferred plan{by}, of {bundles}; {better} proved impossible"
        unknown = ", ".join(self.unreadable)
        return f"{text}; nothing is known of {unknown}, which cannot be read" if unknown else text


class _InvalidError(Exception):
    """The certificate proves nothing, because of an *objection*."""

    def __init__(self, objection: Objection) -> None:
        super().__init__(objection)
        self.objection = objection


def verify(
    certificate: Mapping[str, Any],
    request: Request,
    *,
    semantics: Semantics | Literal["documented", "controller"] | None = None,
    timeout: float | None = None,
    cancel: Cancellation | None = None,
    observer: events.Observer | None = None,
) -> Verdict:
    """Check *certificate* (see :func:`olmsolve.certificate`) against *request*, without searching for anything.

    The request and its catalogs are trusted, the certificate is not. The check shares no code with the indexes, the
    encoding or the search: it reads the catalogs itself, walks the queue of the definition, and accepts that a
    candidate was passed over only if unit propagation confirms each step of its refutation. A certificate about another
    request, another content of a catalog, or other *semantics* than asked for (None: either) is not valid, whatever it
    proves. *timeout*, *cancel* and *observer* are as in :func:`olmsolve.resolve`.

    Raises:
        RequestError: the certificate is malformed, of an earlier version, or names something that the request does
            not have.
        CatalogError: the request names something broken in a catalog, so that there is nothing to certify.
        Incomplete: a limit was met, or the caller cancelled.

    >>> import olmsolve
    >>> request = olmsolve.read_request("olmsolve/examples/install.yaml")
    >>> certificate = olmsolve.certificate(olmsolve.resolve(request), request)
    >>> olmsolve.verify(certificate, request).valid
    True
    """
    must_be(request, "Request", "request")
    with scoped(timeout=timeout, cancel=cancel, observer=observer):
        return _verified(certificate, request, _semantics(semantics))


def _verified(certificate: Mapping[str, Any], request: Request, wanted: Semantics | None) -> Verdict:
    heading = read_heading(certificate)
    kind, semantics = heading.kind, heading.semantics
    unreadable = tuple(sorted(source.key for source in request.unreadable if source.namespace in request.namespaces))
    if wanted not in (None, semantics):
        objection = Objection.stating(Flaw.OTHER_SEMANTICS, named=semantics.value, wanted=wanted.value)
        return Verdict(kind, semantics, objection, unreadable=unreadable)
    if unreadable and request.health_policy is HealthPolicy.STRICT:
        objection = Objection.stating(Flaw.UNREADABLE, catalogs=", ".join(unreadable))
        return Verdict(kind, semantics, objection, unreadable=unreadable)
    world = World(request, semantics)
    other = _about_another(heading, request, world)
    if other is not None:
        return Verdict(kind, semantics, other, unreadable=unreadable)
    roots = [root if root is not None else AnyCandidate(()) for root in roots_of(request, world)]
    reader = CertificateReader(world, semantics, len(roots))
    work = Work(WORK)
    try:
        if kind == "unsatisfiable":
            refutation = reader.refutation(certificate, "certificate")
            if not refutation.refutes(world, semantics, roots, (), work):
                return Verdict(kind, semantics, Objection(Flaw.NO_CONTRADICTION))
            return Verdict(kind, semantics, unreadable=unreadable)
        unordered = without_order(request, world) if semantics is Semantics.CONTROLLER else None
        if unordered is not None:
            return Verdict(kind, semantics, unordered, unreadable=unreadable)
        return evolve(_plan(certificate, reader, roots, work), unreadable=unreadable)
    except _InvalidError as invalid:
        return Verdict(kind, semantics, invalid.objection)
    except TooMuchWork:
        return Verdict(kind, semantics, Objection(Flaw.TOO_MUCH_WORK))


def _semantics(wanted: Semantics | str | None) -> Semantics | None:
    try:
        return None if wanted is None else Semantics(wanted)
    except ValueError:
        reason = f"there are no semantics {wanted!r}"
        raise RequestError(reason, field="semantics", hint="documented or controller") from None


def _about_another(heading: Heading, request: Request, world: World) -> Objection | None:
    """Return the objection that the certificate is about another request or other catalogs, None if it is about these.

    Catalogs are compared first: their names say more than the digest of a request, which covers these names.
    """
    catalogs = catalog_digests(world.sources)
    unseen = [f"not {_full_name(key)}" for key in catalogs.keys() - heading.catalogs.keys()]
    missing = [f"{_full_name(key)} as well" for key in heading.catalogs.keys() - catalogs.keys()]
    if unseen or missing:
        return Objection.stating(Flaw.OTHER_CATALOGS, differing=", ".join([*sorted(missing), *sorted(unseen)]))
    changed = sorted(_full_name(key) for key, digest in catalogs.items() if heading.catalogs[key] != digest)
    if changed:
        return Objection.stating(Flaw.OTHER_CONTENT, catalogs=", ".join(changed))
    return None if heading.request == request_digest(request, world) else Objection(Flaw.OTHER_REQUEST)


def _full_name(catalog: tuple[str, str]) -> str:
    return "/".join(catalog)


def _plan(
    certificate: Mapping[str, Any], reader: CertificateReader, roots: Sequence[AnyCandidate], work: Work
) -> Verdict:
    """Check the certificate of a plan: follow its choices, and demand a proof for everything passed over."""
    world, semantics = reader.world, reader.semantics
    taken = certificate.get("taken")
    if not isinstance(taken, list) or not all(type(way) is int for way in taken):
        raise RequestError("must be a list of whole numbers", field="taken")
    claimed = certificate.get("selected")
    if not isinstance(claimed, list):
        raise RequestError("must be a list", field="selected")
    proofs = _proofs(certificate, reader)
    refuted: set[Rejected] = set()
    candidates = 0  # refuted candidates; refuted parts of disjunctions are not counted

    def take(number: int, queued: QueuedWish) -> int | None:
        if number >= len(taken):
            raise _InvalidError(Objection.stating(Flaw.TOO_FEW_CHOICES, choice=number + 1))
        wish, way = queued.wish, int(taken[number])
        assert not isinstance(wish, NoCandidate), "an exclusion is no choice"
        ways = wish.candidates if isinstance(wish, AnyCandidate) else wish.parts
        if not 0 <= way < len(ways):
            raise _InvalidError(Objection.stating(Flaw.NO_SUCH_WAY, choice=number + 1, way=way))
        return way

    def rejected(way: Rejected, selected: Collection[Proposition], refused: Proposition) -> None:
        nonlocal candidates
        refuted.add(way)
        candidates += isinstance(refused, PlainCandidate)
        proof = proofs.get(way)
        name = refused.name if isinstance(refused, PlainCandidate) else f"part {way.way + 1}"
        if proof is None:
            raise _InvalidError(Objection.stating(Flaw.NO_PROOF, choice=way.choice + 1, candidate=name))
        if not proof.refutes(world, semantics, roots, selected, work):
            raise _InvalidError(Objection.stating(Flaw.WRONG_PROOF, choice=way.choice + 1, candidate=name))

    replayed = replay(world, semantics, roots, take, rejected)
    if len(taken) > replayed.choices:
        raise _InvalidError(Objection.stating(Flaw.TOO_MANY_CHOICES, count=len(taken), choices=replayed.choices))
    # Whoever reads a valid certificate takes each of its refutations for true, so that none may stay unread.
    for way in proofs:
        if way not in refuted:
            raise _InvalidError(Objection.stating(Flaw.UNASKED_PROOF, choice=way.choice + 1, way=way.way))
    # Following its own choices, the certificate must arrive at the plan that it claims, and this must be a solution.
    if list(map(written_candidate, replayed.selected)) != claimed:
        raise _InvalidError(Objection(Flaw.OTHER_CHOICES))
    objection = broken(ClaimedPlan(world, semantics, roots, replayed))
    if objection is not None:
        raise _InvalidError(objection)
    return Verdict("plan", semantics, None, tuple(map(_described, replayed.selected)), candidates)


def _proofs(certificate: Mapping[str, Any], reader: CertificateReader) -> dict[Rejected, Refutation]:
    rejections = certificate.get("rejected")
    if not isinstance(rejections, list):
        raise RequestError("must be a list", field="rejected")
    proofs: dict[Rejected, Refutation] = {}
    for position, value in enumerate(rejections):
        way, proof = reader.rejection(value, f"rejected[{position}]")
        if way in proofs:
            raise RequestError(f"refutes way {way.way} of choice {way.choice} twice", field=f"rejected[{position}]")
        proofs[way] = proof
    return proofs


def _described(candidate: PlainCandidate) -> resolution.Candidate:
    version = candidate.published.version
    return resolution.Candidate(
        candidate.name, candidate.package, candidate.channel, candidate.catalog, "" if version is None else str(version)
    )


def roots_of(request: Request, world: World) -> tuple[AnyCandidate | None, ...]:
    """Return a choice for each unowned installed operator, by name, then for each subscription and each demand.

    Subscriptions, and the house rules that demand something, are in the order given.

    The list ends early, with None, at a subscription that names something unknown: the request fails on it alone.

    Raises:
        CatalogError: a subscription names a channel without exactly one chain (and its catalog), or the
            requirements of an unowned installed operator do not parse.
    """
    owners = request.owners()
    roots: list[AnyCandidate | None] = []
    # Two subscriptions may be equal, so it is their identity that tells whose an operator is.
    owned: dict[int, PlainCandidate] = {}
    for operator in world.existing:
        owner = owners.get(operator.name)
        if owner is not None:
            owned.setdefault(id(owner), operator)
        elif operator.fault is not None:
            raise CatalogError(operator.fault, catalog=EXISTING, bundle=operator.name)
        else:
            roots.append(AnyCandidate((operator,)))
    for subscription in request.subscriptions:
        candidates = world.serve(subscription, owned.get(id(subscription)))
        if candidates is None:
            return (*roots, None)
        roots.append(AnyCandidate(candidates))
    return (*roots, *map(AnyCandidate, world.demanded()))
