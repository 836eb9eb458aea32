"""The differences between two sets of extensions that explain another answer: wish, catalogs, priority."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from olmsolve._records import Record, field, record
from olmsolve.errors import CatalogError, RequestError
from olmsolve.v1 import ExtensionRequest, ExtensionResolution, InvalidWishError, ResolutionError, resolve

ExtensionAnswer: TypeAlias = ExtensionResolution | ResolutionError | CatalogError
"""What resolving one extension gives."""


@record(definition="extensionBundle")
class _ExtensionBundle(Record):
    """The bundle that an extension gets."""

    bundle: str = field("The bundle.")
    version: str = field("Its version.")
    catalog: str = field("Its catalog.")


@record(definition="extensionFailure")
class _ExtensionFailure(Record):
    """The reason why an extension gets nothing."""

    error: str = field("A sentence for people.")


def _data(answer: ExtensionAnswer | None) -> _ExtensionBundle | _ExtensionFailure | None:
    if isinstance(answer, ExtensionResolution):
        return _ExtensionBundle(answer.bundle, answer.full_version, answer.catalog)
    return None if answer is None else _ExtensionFailure(str(answer))


@record(layout=(..., "text"))
class ExtensionDifference(Record):
    """An extension whose answers differ: *before* and *after*, None where only the other side has the extension."""

    name: str = field("The extension.", path="extension")
    before: ExtensionAnswer | None = field("What it gets first; null where it is missing.", written=_data)
    after: ExtensionAnswer | None = field("What it gets then.", written=_data)

    def __str__(self) -> str:
        before, after = _phrase(self.before), _phrase(self.after)
        if before == after:
            # A catalog may change the version of a bundle and keep its name.
            before, after = (f"{before}{_version(bundle)}" for bundle in (self.before, self.after))
        return f"{self.name}: {before} becomes {after}"


@record(
    definition="olmsolve.v1.diff",
    title="What differs between two sets of extensions",
    about="docs/why.md gives the meaning of the fields.",
)
class ExtensionDiff(Record):
    """The differences between two sets of extensions, by name; *same* are the names of those that get the same."""

    changes: tuple[ExtensionDifference, ...] = field("The extensions that get something else.")
    same: tuple[str, ...] = field("The extensions that get the same.", default=())

    def __bool__(self) -> bool:
        """Return whether anything differs."""
        return bool(self.changes)

    def __str__(self) -> str:
        return "\n".join(map(str, self.changes)) or "nothing changes"


def diff_extensions(
    before: ExtensionRequest | Iterable[ExtensionRequest], after: ExtensionRequest | Iterable[ExtensionRequest]
) -> ExtensionDiff:
    """Compare what the extensions *before* and *after* get, each a request or several.

    Extensions are the same where their requests have one name; requests without a name go by their package.

    Raises:
        RequestError: two requests of one side have the same name.
        InvalidWishError: the selector or the version range of an extension cannot be read.
    """
    old, new = _by_name(before), _by_name(after)
    changes: list[ExtensionDifference] = []
    same: list[str] = []
    for name in sorted({*old, *new}):
        one, other = _answer(old.get(name)), _answer(new.get(name))
        if _identity(one) == _identity(other):
            same.append(name)
        else:
            changes.append(ExtensionDifference(name, one, other))
    return ExtensionDiff(tuple(changes), tuple(same))


def _by_name(requests: ExtensionRequest | Iterable[ExtensionRequest]) -> Mapping[str, ExtensionRequest]:
    by_name: dict[str, ExtensionRequest] = {}
    for request in (requests,) if isinstance(requests, ExtensionRequest) else requests:
        name = request.name or request.extension.package
        if name in by_name:
            raise RequestError(f"two requests are called {name!r}", field="name")
        by_name[name] = request
    return by_name


def _answer(request: ExtensionRequest | None) -> ExtensionAnswer | None:
    if request is None:
        return None
    try:
        return resolve(request)
    except InvalidWishError:
        raise
    except (ResolutionError, CatalogError) as failure:
        return failure


def _identity(answer: ExtensionAnswer | None) -> object:
    if isinstance(answer, ExtensionResolution):
        return answer.bundle, answer.full_version, answer.catalog
    return answer and str(answer)


def _phrase(answer: ExtensionAnswer | None) -> str:
    if answer is None:
        return "nothing"
    if isinstance(answer, ExtensionResolution):
        return f"{answer.bundle} ({answer.catalog})"
    return f"a failure ({answer})"


def _version(answer: ExtensionAnswer | None) -> str:
    return f" in version {answer.full_version}" if isinstance(answer, ExtensionResolution) else ""
