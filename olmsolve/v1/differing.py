"""The differences between two sets of extensions that explain another answer: wish, catalogs, priority."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from olmsolve.errors import CatalogError, RequestError
from olmsolve.v1.errors import InvalidWishError, ResolutionError
from olmsolve.v1.request import (
    ExtensionAnswer,
    ExtensionDiff,
    ExtensionDifference,
    ExtensionRequest,
    ExtensionResolution,
)
from olmsolve.v1.resolving import resolve


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
    # A range that cannot be read is a mistake of the input, where the other failures are answers to compare.
    except InvalidWishError:
        raise
    except (ResolutionError, CatalogError) as failure:
        return failure


def _identity(answer: ExtensionAnswer | None) -> object:
    if isinstance(answer, ExtensionResolution):
        return answer.bundle, answer.full_version, answer.catalog
    return answer and str(answer)
