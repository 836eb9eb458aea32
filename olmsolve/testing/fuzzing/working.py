"""The work of fuzzing, item by item, on whichever worker: a package, a pair of subscriptions, or a numbered case."""

from __future__ import annotations

import pickle
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, TypeAlias

import olmsolve._attrs as attrs
from olmsolve import v1
from olmsolve._limits import checked
from olmsolve._records import Record, field, record
from olmsolve.answers import Work, light
from olmsolve.answers.questions import compare_semantics
from olmsolve.answers.reducing import AnyRequest
from olmsolve.catalog import Source
from olmsolve.classic import Request, Semantics
from olmsolve.errors import Incomplete, OlmsolveError
from olmsolve.resolution import Resolution
from olmsolve.testing.fuzzing.covering import covered
from olmsolve.testing.fuzzing.drawing import RequestDrawer
from olmsolve.testing.fuzzing.questions import Examiner, Pair, refusal_of
from olmsolve.testing.laws import (
    EXTENSION_LAWS,
    LAWS,
    check_certificate,
    check_constraints,
    check_core,
    check_document,
    check_fixes,
    check_preferred,
    check_ranges,
    check_reading,
    check_renamed,
    check_unselected,
    has_two_meanings,
    outcome_of,
)

ClassicLaw: TypeAlias = Callable[[Request, Semantics], None]
ExtensionLaw: TypeAlias = Callable[[v1.ExtensionRequest], None]

SEMANTICS_DIFFER: Final = "two meanings"
"""Stands among the broken laws of a case for a request that both semantics answer differently."""
_MOST_BUNDLES: Final = 120
"""The most bundles of a request that costly laws are asked about."""
_COSTLY: Final[frozenset[object]] = frozenset(
    {
        check_certificate,
        check_core,
        check_document,
        check_fixes,
        check_preferred,
        check_ranges,
        check_reading,
        check_renamed,
        check_unselected,
    }
)


def law_name(law: Callable[..., Any]) -> str:
    """Return the name of *law* for people: ``check_order`` is the law "order"."""
    name: str = getattr(law, "__name__", type(law).__name__)
    return name.removeprefix("check_").replace("_", " ")


_CASES_FOR_ALL: Final = 3
"""One case in so many is asked all laws."""
_ON_SOME_CASES: Final = frozenset(map(law_name, {*LAWS} - {check_constraints, check_preferred}))
"""The laws of the kit that are asked about these cases alone.

The two that judge by the definition take a tenth of the time of all, and find most of what there is to find.
"""


@record
class CaseResult(Record):
    """The result of one case."""

    number: int = field("The number of the case.")
    outcome: str = field("How its request ends.")
    checked: tuple[str, ...] = field("The laws that were checked.")
    broken: tuple[str, ...] = field("The laws that are broken.")
    covers: tuple[str, ...] = field("What its request is an example of.", default=())


@record
class PairAnswer(Record):
    """The answer about one pair of subscriptions."""

    number: int = field("The number of the pair.")
    reasons: tuple[str, ...] | None = field("Why the two can never be served together; null where they can.")


@attrs.frozen
class PackageItem:
    """A package to examine."""

    catalog: str
    package: str


@attrs.frozen
class PairItem:
    """A pair of subscriptions to ask about."""

    number: int
    pair: Pair


@attrs.frozen
class CaseItem:
    """A numbered case."""

    number: int


@attrs.frozen
class FuzzSettings:
    """All that a run works with; it travels to workers as a pickle."""

    sources: tuple[Source, ...]
    requests: tuple[AnyRequest, ...]
    seed: int
    semantics: Semantics = Semantics.DOCUMENTED
    laws: tuple[ClassicLaw, ...] = LAWS
    extension_laws: tuple[ExtensionLaw, ...] = EXTENSION_LAWS


@attrs.frozen
class FuzzCargo:
    """Packed settings, for workers that do not share this process's memory."""

    payload: bytes = attrs.field(repr=False)

    @classmethod
    def packed(cls, settings: FuzzSettings) -> FuzzCargo:
        """Pack *settings*, their catalogs without what resolution does not read."""
        carried = attrs.evolve(
            settings,
            sources=tuple(attrs.evolve(source, catalog=light(source.catalog)) for source in settings.sources),
            requests=tuple(map(_light_request, settings.requests)),
        )
        return cls(zlib.compress(pickle.dumps(carried, pickle.HIGHEST_PROTOCOL), 1))

    def unpacked(self) -> Work:
        """Return the work with these settings. Never pass a stranger's bytes: pickles can run code."""
        settings: FuzzSettings = pickle.loads(zlib.decompress(self.payload))  # noqa: S301 - see above
        return FuzzWork(settings).work


def _light_request(request: AnyRequest) -> AnyRequest:
    if isinstance(request, Request):
        sources = [attrs.evolve(source, catalog=light(source.catalog)) for source in request.sources]
        return attrs.evolve(request, sources=sources)
    catalogs = [
        catalog if catalog.catalog is None else attrs.evolve(catalog, catalog=light(catalog.catalog))
        for catalog in request.catalogs
    ]
    return attrs.evolve(request, catalogs=catalogs)


class FuzzWork:
    """The work with some *settings*."""

    def __init__(self, settings: FuzzSettings) -> None:
        self.settings = settings
        self.examiner: Examiner = Examiner(settings.sources, settings.semantics)
        self._drawer = RequestDrawer(settings.sources, settings.requests, settings.seed)

    def work(self, items: Sequence[Any]) -> Iterator[Any]:
        """Yield the result of each of *items*."""
        for item in checked(items):
            match item:
                case PackageItem():
                    yield self.examiner.examine(item.catalog, item.package)
                case PairItem():
                    yield PairAnswer(item.number, refusal_of(self.examiner, item.pair))
                case CaseItem():
                    yield self.case(item.number)

    def request(self, number: int) -> AnyRequest:
        """Return the request of the case *number*."""
        return self._drawer.drawn(number)

    def case(self, number: int) -> CaseResult:
        """Check the laws on the request of case *number*, some of them on one case in three alone."""
        drawn = self._drawer.drawing(number)
        request = drawn.request
        names, broken = [], []
        for name, law in laws_on(request, self.settings):
            if name == SEMANTICS_DIFFER and drawn.has_own_meanings:
                # The author of the catalogs has not written what has two meanings.
                continue
            if number % _CASES_FOR_ALL and name in _ON_SOME_CASES:
                continue
            names.append(name)
            if fault_of(law, request) is not None:
                broken.append(name)
        outcome, answer = self.outcome(request)
        return CaseResult(number, outcome, tuple(names), tuple(broken), tuple(covered(request, answer)))

    def outcome(self, request: AnyRequest) -> tuple[str, object]:
        """Return how *request* ends, in a word or two, and the plan or what else came of it, if anything."""
        try:
            if isinstance(request, Request):
                outcome = outcome_of(request, self.settings.semantics)
                if isinstance(outcome, Resolution):
                    return "plan", outcome
                return "no plan" if hasattr(outcome, "core") else "broken catalog", outcome
            return "bundle", v1.resolve(request)
        except Incomplete:
            raise
        except OlmsolveError:
            return "no bundle" if isinstance(request, v1.ExtensionRequest) else "error", None
        except Exception:  # noqa: BLE001 - the laws tell of the crash
            return "crash", None


def laws_on(request: AnyRequest, settings: FuzzSettings) -> Iterator[tuple[str, Callable[[Any], None]]]:
    """Yield the laws that are checked on *request* by name, each as a function of a request."""
    semantics = settings.semantics
    if isinstance(request, Request):
        size = sum(len(package.bundles) for source in request.sources for package in source.catalog)
        for law in settings.laws:
            if size <= _MOST_BUNDLES or law not in _COSTLY:
                yield law_name(law), _under(law, semantics)
        yield SEMANTICS_DIFFER, _one_meaning
    else:
        for extension_law in settings.extension_laws:
            yield law_name(extension_law), extension_law


def _under(law: ClassicLaw, semantics: Semantics) -> Callable[[Request], None]:
    return lambda request: law(request, semantics)


def _one_meaning(request: Request) -> None:
    """Raise AssertionError where both semantics answer *request* differently, and something in it has two meanings.

    Where nothing has, a difference is a fault of olmsolve, which the law "semantics" finds: nobody else is to blame.
    """
    if not has_two_meanings(request):
        return
    compared = compare_semantics(request)
    if compared:
        raise AssertionError(", ".join(sorted({change.package for change in compared.changes})))


def checker_of(name: str, settings: FuzzSettings) -> str:
    """Return the function of the law *name* with its module: whoever reads a finding learns who judged it."""
    laws: tuple[Callable[..., None], ...] = (*settings.laws, *settings.extension_laws)
    for law in laws:
        if law_name(law) == name:
            return f"{getattr(law, '__module__', '')}.{getattr(law, '__qualname__', type(law).__name__)}".lstrip(".")
    return ""


def fault_of(law: Callable[[Any], None], request: AnyRequest) -> str | None:
    """Return what *law* says against the answer to *request*, None if it holds; a crash is a fault too.

    An error of the library's own, such as a rule that takes too long, is an answer, and no crash.
    """
    try:
        law(request)
    except Incomplete:
        raise
    except OlmsolveError:
        return None
    except AssertionError as error:
        return str(error)
    except Exception as error:  # noqa: BLE001 - a crash of olmsolve itself is what we are looking for
        return f"{type(error).__name__}: {error}"
    return None


def counted(results: Iterable[CaseResult]) -> tuple[Counter[str], Counter[str], Counter[str]]:
    """Count *results* by their outcome, by the laws that check them, and by the features that they show."""
    outcomes: Counter[str] = Counter()
    laws: Counter[str] = Counter()
    examples: Counter[str] = Counter()
    for result in results:
        outcomes[result.outcome] += 1
        laws.update(result.checked)
        examples.update(result.covers)
    return outcomes, laws, examples
