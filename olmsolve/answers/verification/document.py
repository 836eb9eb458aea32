"""Certificates as JSON: the digests of what one is about, and candidates, facts and refutations, written and read.

Digests tie a certificate to its request, and to the content of each catalog. They cover what the definition of the
preferred plan reads, as it reads it, and nothing else. So a catalog has one digest whatever its format, the order of
its files and blobs, its icons and descriptions; and two requests with one digest, over catalogs with the same digests,
have the same answer. They guard against mistakes: whoever forges a certificate can give it the right digests, and
still has to prove its claim. So the document is read as one that nobody trusts.

docs/certificates.md describes the format for other programs. A fact has one key that names its kind::

    {"requires": ["olm/main", "etcd", "alpha", "etcd.v1.0.0"], "wish": 0}
    {"onePer": "package", "name": "etcd", "members": [...]}
    {"onePer": "api", "name": ["etcd.example.com", "v1", "Cluster"], "members": [...]}

Names with parts are written part by part, never as one text: the text of one could be the text of another.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar, Final, Literal

import attrs

from olmsolve._limits import checked
from olmsolve._patterns import pattern
from olmsolve._records import Record, field, record
from olmsolve.answers.verification.facts import Fact, IsUnselectable, OnePer, Replaces, RootHolds, WishHolds, falsehood
from olmsolve.answers.verification.replaying import Refutation, Rejected
from olmsolve.answers.verification.world import PlainCandidate, World
from olmsolve.catalog import Catalog, Channel, Package, Source
from olmsolve.classic import Bundles, HouseRule, Installed, Never, Request, Semantics, Subscription
from olmsolve.errors import RequestError
from olmsolve.predicates import GVK, OwnValue, Property

_ALGORITHM: Final = "sha256"
# Past this, numbers of JSON are no longer exact in every reader.
_EXACT: Final = 2**53
# Matches JSON text with a fraction or an exponent outside of its strings; possessive, so that it never goes back.
_HAS_FRACTION: Final = pattern(r'(?:[^"0-9]++|"(?:[^"\\]++|\\.)*+"|[0-9]++(?![0-9.eE]))*+[0-9]++[.eE]')


def request_digest(request: Request, world: World) -> str:
    """Return the digest of *request* without the content of its catalogs; *world* has its candidates.

    It covers the namespaces, the names and priorities of the catalogs that are seen, the subscriptions, the installed
    operators, the house rules, and which bundles the system constraints refuse: constraints are functions, of which
    nothing else can be compared. The order of the subscriptions and rules counts, and the order of the operators and
    catalogs does not. A catalog that cannot be read is left out, since a verdict names it.
    """
    target, *others = request.namespaces
    return _digest(
        [
            _text([target, sorted({*others} - {target})]),
            _text(sorted([source.namespace, source.name, source.priority] for source in world.sources)),
            _text(list(map(_subscription, request.subscriptions))),
            _text(sorted(map(_operator, request.installed), key=lambda operator: str(operator[0]))),
            _text(list(map(_rule, request.house_rules))),
            _text(sorted(world.refused)),
        ]
    )


def catalog_digests(sources: Iterable[Source]) -> dict[tuple[str, str], str]:
    """Return the digest of the content of each of *sources*, by its namespace and name."""
    return {(source.namespace, source.name): catalog_digest(source.catalog) for source in sources}


def catalog_digest(catalog: Catalog) -> str:
    """Return the digest of the packages of *catalog*, made once and kept with it.

    It covers their default channels, the entries of their channels that have a bundle, and the properties of these
    bundles, in their order, which is the order of their requirements.
    """
    return catalog.derived(__name__, lambda: _catalog_digest(catalog))


def _catalog_digest(catalog: Catalog) -> str:
    return _digest(_package(package) for package in sorted(checked(catalog), key=lambda package: package.name))


def _package(package: Package) -> str:
    """Return what the definition reads of *package*, as text."""
    channels = sorted(package.channels.values(), key=lambda channel: channel.name)
    entries = {channel.name: _entries(package, channel) for channel in checked(channels)}
    bundle_names = sorted({name for listed in entries.values() for name, *_ in listed})
    bundles = [[name, *map(_property, package.bundles[name].properties)] for name in checked(bundle_names, every=16)]
    return _text([package.name, package.default_channel, [[name, listed] for name, listed in entries.items()], bundles])


def _entries(package: Package, channel: Channel) -> list[list[Any]]:
    """Return the entries of *channel* that have a bundle, by name; of entries with one name the last one counts."""
    entries = {entry.name: entry for entry in channel.entries if entry.name in package.bundles}
    return [
        [name, entry.replaces, sorted(set(entry.skips)), entry.skip_range] for name, entry in sorted(entries.items())
    ]


def _property(stated: Property) -> list[Any]:
    return [stated.type, stated.value]


def _subscription(subscription: Subscription) -> list[str]:
    return [
        subscription.name,
        subscription.package,
        subscription.channel,
        subscription.source_namespace,
        subscription.source,
        subscription.starting_csv,
        subscription.installed_csv,
    ]


def _operator(operator: Installed) -> list[Any]:
    properties = list(map(_property, operator.properties))
    return [operator.name, operator.version, operator.subscription, operator.replaced_by, properties]


def _rule(rule: HouseRule) -> list[Any]:
    beside = rule.beside if isinstance(rule, Never) else None
    return [rule.kind, rule.name, _bundles(rule.bundles), None if beside is None else _bundles(beside)]


def _bundles(bundles: Bundles) -> list[Any]:
    return [
        bundles.package,
        None if bundles.versions is None else str(bundles.versions),
        bundles.name,
        None if bundles.api is None else list(bundles.api),
        bundles.catalog,
        None if bundles.constraint is None else bundles.constraint.value,
    ]


def _digest(texts: Iterable[str]) -> str:
    """Return the digest of *texts*, each of which is JSON on one line."""
    digest = hashlib.new(_ALGORITHM)
    for text in texts:
        digest.update(text.encode("utf-8", "surrogatepass"))
        digest.update(b"\n")
    return f"{_ALGORITHM}:{digest.hexdigest()}"


def _as_number(value: object) -> float:
    """Return a Decimal, which keeps the zeros of 4.10, as a number. Raises RequestError for a predicate."""
    if isinstance(value, OwnValue):
        raise RequestError(f"{value} is a predicate of a program, which a certificate cannot hold", field="properties")
    return float(value)  # type: ignore[arg-type]  # JSON has all other types


def _text(value: Any) -> str:
    """Return *value* as JSON text, the same for equal values: with sorted keys, and 1 for 1.0.

    CEL rules, which alone read numbers, take every number for a double. Most values have no fraction, so they are
    written as they are, and walked through only where the text has one.
    """
    text = json.dumps(value, sort_keys=True, default=_as_number)
    return json.dumps(_with_plain_numbers(json.loads(text)), sort_keys=True) if _HAS_FRACTION.match(text) else text


def _with_plain_numbers(value: Any) -> Any:
    """Return *value* with whole numbers in place of the doubles that are equal to them."""
    if isinstance(value, dict):
        return {key: _with_plain_numbers(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return list(map(_with_plain_numbers, value))
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < _EXACT else value


SCHEMA: Final = "olmsolve.certificate"
VERSION: Final = 2

_DIGEST: Final = "A digest: its algorithm, a colon, and hexadecimal digits."


@record
class CertifiedCatalog(Record):
    """A catalog that the request sees, with the digest of its content."""

    namespace: str = field("The namespace of the catalog.")
    name: str = field("The name of the catalog.")
    content: str = field(_DIGEST)


def _catalogs(digests: Mapping[tuple[str, str], str]) -> tuple[CertifiedCatalog, ...]:
    return tuple(CertifiedCatalog(*key, digest) for key, digest in sorted(digests.items()))


@record(layout=("semantics", "request", "catalogs"))
class Heading(Record):
    """The head of a certificate: its claim, the *semantics*, and digests of the *request* and the *catalogs*.

    The content of each catalog has its digest by the catalog's namespace and name (see :func:`catalog_digests`).
    """

    kind: Literal["plan", "unsatisfiable"]
    semantics: Semantics = field("The semantics of compound constraints.")
    request: str = field(_DIGEST)
    catalogs: Mapping[tuple[str, str], str] = field("The catalogs that the request sees.", written=_catalogs)


@record(
    definition=SCHEMA,
    version=VERSION,
    title="An answer with its proof",
    about="docs/certificates.md describes the format.",
    layout=("heading", "kind", ...),
)
class Certificate(Record):
    """An answer with its proof, as a document."""

    kind: ClassVar[str]
    heading: Heading = field(path="*")


@record
class ProvedRejection(Record):
    """A way that a choice passed over, and the refutation that proves it impossible."""

    rejected: Rejected = field(path="*")
    refutation: Refutation = field(path="*")


def written_candidate(candidate: PlainCandidate) -> list[str]:
    """Write *candidate* as its catalog, package, channel and name."""
    return list(candidate.path)


def _paths(candidates: tuple[PlainCandidate, ...]) -> tuple[tuple[str, str, str, str], ...]:
    return tuple(candidate.path for candidate in candidates)


@record(kind="plan", about="A plan.")
class PlanCertificate(Certificate):
    """A plan: the way that each choice took, and proofs that no candidate before was possible."""

    selected: tuple[PlainCandidate, ...] = field("What is selected, in the order of the choices.", written=_paths)
    taken: tuple[int, ...] = field("The way that each choice took.")
    rejected: tuple[ProvedRejection, ...] = field("The proofs that no earlier way was possible.")


@record(kind="unsatisfiable", about="A failure.")
class FailureCertificate(Certificate):
    """A failure, with the refutation of the whole request."""

    refutation: Refutation = field(path="*")


def read_heading(certificate: object) -> Heading:
    """Read what *certificate* is about.

    Raises:
        RequestError: it has another schema or version, or a field is malformed.
    """
    if not isinstance(certificate, Mapping) or certificate.get("schema") != SCHEMA:
        raise RequestError(f"is not a certificate: its schema must be {SCHEMA}", field="schema")
    version = certificate.get("schemaVersion")
    if version == 1 and type(version) is int:
        reason = "is 1: certificates of this version do not name their request and catalogs"
        raise RequestError(reason, field="schemaVersion", hint="certify the answer again")
    # type() and not isinstance(): True is an integer for Python, and equals 1.
    if type(version) is not int or version != VERSION:
        raise RequestError(f"must be {VERSION}", field="schemaVersion")
    try:
        semantics = Semantics(certificate.get("semantics"))
    except ValueError:
        raise RequestError("must be documented or controller", field="semantics") from None
    kind = certificate.get("kind")
    if kind not in ("plan", "unsatisfiable"):
        raise RequestError("must be plan or unsatisfiable", field="kind")
    request = _string(certificate.get("request"), "request")
    catalogs: dict[tuple[str, str], str] = {}
    for position, value in enumerate(_list(certificate.get("catalogs"), "catalogs")):
        field = f"catalogs[{position}]"
        mapping = _mapping(value, field)
        namespace, name, content = (
            _string(mapping.get(part), f"{field}.{part}") for part in ("namespace", "name", "content")
        )
        if (namespace, name) in catalogs:
            raise RequestError(f"names {namespace}/{name} twice", field=field)
        catalogs[namespace, name] = content
    return Heading("plan" if kind == "plan" else "unsatisfiable", semantics, request, catalogs)


@attrs.frozen
class CertificateReader:
    """A reader of the parts of a certificate: whatever they name must exist in *world*.

    *roots* is how many roots the request has. Methods take a JSON value and the *field* that it came from.

    Raises:
        RequestError: the value is malformed, names a candidate that does not exist, or states a fact that does
            not hold. It names the field.
    """

    world: World
    semantics: Semantics
    roots: int

    def candidate(self, value: object, field: str) -> PlainCandidate:
        """Read a candidate, given by catalog, package, channel and name."""
        texts = _list(value, field)
        if len(texts) != 4 or not all(isinstance(text, str) for text in texts):
            raise RequestError("must be a list of catalog, package, channel and name", field=field)
        named_candidate = self.world.find(*texts)
        if named_candidate is None:
            raise RequestError(f"there is no candidate {' '.join(map(repr, texts))}", field=field)
        return named_candidate

    def rejection(self, value: object, field: str) -> tuple[Rejected, Refutation]:
        """Read a way that a choice passed over, with its refutation."""
        mapping = _mapping(value, field)
        choice, way = (_number(mapping.get(name), f"{field}.{name}") for name in ("choice", "way"))
        return Rejected(choice, way), self.refutation(mapping, field)

    def refutation(self, value: object, field: str) -> Refutation:
        """Read a refutation: its facts and its steps."""
        mapping = _mapping(value, field)
        facts = _list(mapping.get("facts"), f"{field}.facts")
        steps = _list(mapping.get("steps"), f"{field}.steps")
        return Refutation(
            tuple(self._fact(fact, f"{field}.facts[{i}]") for i, fact in checked(enumerate(facts), every=16)),
            tuple(_step(step, f"{field}.steps[{i}]") for i, step in checked(enumerate(steps), every=64)),
        )

    def _fact(self, value: object, field: str) -> Fact:
        """Read a fact, and check that it holds in the request."""
        mapping = _mapping(value, field)
        for name, read in self._kinds.items():
            if name in mapping:
                fact, at = read(mapping, field)
                reason = falsehood(fact, self.world, self.semantics, self.roots)
                if reason:
                    raise RequestError(reason, field=at)
                return fact
        raise RequestError("is not a fact", field=field, hint="wanted, requires, onePer, replaces or never")

    @property
    def _kinds(self) -> Mapping[str, Callable[[Mapping[str, Any], str], tuple[Fact, str]]]:
        """A reader of each kind of fact, by its key: it returns the fact, and the field at fault if it is false."""
        return {
            RootHolds.kind: self._root_holds,
            WishHolds.kind: self._wish_holds,
            OnePer.kind: self._one_per,
            Replaces.kind: self._replaces,
            IsUnselectable.kind: self._is_unselectable,
        }

    def _root_holds(self, mapping: Mapping[str, Any], field: str) -> tuple[Fact, str]:
        at = f"{field}.wanted"
        return RootHolds(_number(mapping["wanted"], at)), at

    def _wish_holds(self, mapping: Mapping[str, Any], field: str) -> tuple[Fact, str]:
        candidate, at = self.candidate(mapping["requires"], f"{field}.requires"), f"{field}.wish"
        return WishHolds(candidate, _number(mapping.get("wish"), at)), at

    def _one_per(self, mapping: Mapping[str, Any], field: str) -> tuple[Fact, str]:
        kind, name, at = mapping["onePer"], mapping.get("name"), f"{field}.members"
        group: str | GVK
        if kind == "package":
            group = _string(name, f"{field}.name")
        elif kind == "api":
            group = _api(name, f"{field}.name")
        else:
            raise RequestError("must be package or api", field=f"{field}.onePer")
        members = checked(enumerate(_list(mapping.get("members"), at)), every=64)
        candidates = [self.candidate(member, f"{at}[{position}]") for position, member in members]
        # A candidate that is named twice would exclude itself.
        return OnePer(group, tuple(dict.fromkeys(candidates))), at

    def _replaces(self, mapping: Mapping[str, Any], field: str) -> tuple[Fact, str]:
        candidate = self.candidate(mapping["replaces"], f"{field}.replaces")
        return Replaces(candidate, self.candidate(mapping.get("operator"), f"{field}.operator")), field

    def _is_unselectable(self, mapping: Mapping[str, Any], field: str) -> tuple[Fact, str]:
        at = f"{field}.never"
        return IsUnselectable(self.candidate(mapping["never"], at)), at


def _api(value: object, field: str) -> GVK:
    parts = _list(value, field)
    if len(parts) != 3 or not all(isinstance(part, str) for part in parts):
        raise RequestError("must be a list of group, version and kind", field=field)
    return GVK(*parts)


def _step(value: object, field: str) -> tuple[int, ...]:
    literals = _list(value, field)
    if not all(type(literal) is int and literal for literal in literals):
        raise RequestError("must be a list of whole numbers other than 0", field=field)
    return tuple(literals)


def _string(value: object, field: str) -> str:
    if not isinstance(value, str):
        raise RequestError("must be text", field=field)
    return value


def _list(value: object, field: str) -> list[Any]:
    if not isinstance(value, list):
        raise RequestError("must be a list", field=field)
    return value


def _mapping(value: object, field: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise RequestError("must be an object", field=field)
    return value


def _number(value: object, field: str) -> int:
    if type(value) is not int or value < 0:
        raise RequestError("must be a whole number, 0 or more", field=field)
    return value
