"""A request made of the options ``--catalog``, ``--subscribe`` and ``--installed``."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

import attrs

from olmsolve.catalog import Bundle, Catalog, Source
from olmsolve.classic import Installed, Request, Subscription
from olmsolve.errors import RequestError

__all__ = ["Wishes", "named_path"]

TARGET_NAMESPACE: Final = "operators"
CATALOG_NAMESPACE: Final = "olm"

_SUBSCRIPTION: Final = re.compile(r"(?P<package>[^@=]+)(@(?P<channel>[^=]+))?(=(?P<starting>.+))?")
_PRIORITY: Final = re.compile(r"(?P<path>.+):(?P<priority>-?[0-9]{1,10})")
_NAMES_COMPARED: Final = 20_000


@attrs.frozen
class Wishes:
    """The options as they were given, each any number of times."""

    catalogs: tuple[str, ...] = ()
    subscriptions: tuple[str, ...] = ()
    installed: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.catalogs or self.subscriptions or self.installed)

    def request(self, load: Callable[[Path], Catalog]) -> Request:
        """The request for the namespace ``operators``, with all catalogs in the global namespace ``olm``.

        Subscriptions are named after their packages and consider all catalogs.
        """
        subscriptions = [_subscription(text) for text in self.subscriptions]
        named = [named_path(text) for text in self.catalogs]
        sources = [Source(name, CATALOG_NAMESPACE, priority, load(path)) for name, path, priority in named]
        owners = {subscription.package: subscription.name for subscription in subscriptions}
        return Request(
            namespaces=(TARGET_NAMESPACE, CATALOG_NAMESPACE),
            sources=sources,
            subscriptions=subscriptions,
            installed=[_installed(name, sources, owners) for name in self.installed],
        )


def _subscription(text: str) -> Subscription:
    match = _SUBSCRIPTION.fullmatch(text)
    if match is None:
        raise RequestError(
            "not of the form PACKAGE[@CHANNEL][=STARTING]",
            field=f"--subscribe {text}",
            hint="for example storefront@stable=storefront.v1.4.0",
        )
    return Subscription(
        name=match["package"],
        namespace=TARGET_NAMESPACE,
        package=match["package"],
        channel=match["channel"] or "",
        starting_csv=match["starting"] or "",
    )


def named_path(text: str, option: str = "--catalog") -> tuple[str, Path, int]:
    """The name, the path and the priority of a catalog that an *option* gives."""
    name, _, rest = text.partition("=")
    if not name or not rest:
        raise RequestError(
            "not of the form NAME=PATH[:PRIORITY]",
            field=f"{option} {text}",
            hint="for example community=catalogs/community:10",
        )
    match = _PRIORITY.fullmatch(rest)
    # A file may really be called catalog:10.
    if match is None or Path(rest).exists():
        return name, Path(rest), 0
    return name, Path(match["path"]), int(match["priority"])


def _installed(name: str, sources: Iterable[Source], owners: dict[str, str]) -> Installed:
    """The operator that the bundle *name* became, from the catalog of the highest priority that has it."""
    found: list[Bundle] = []
    names: dict[str, None] = {}
    for source in sorted(sources, key=lambda source: -source.priority):
        for package in source.catalog:
            if name in package.bundles:
                found.append(package.bundles[name])
            elif len(names) < _NAMES_COMPARED:
                names.update(dict.fromkeys(package.bundles))
    if not found:
        near = difflib.get_close_matches(name, names, n=1)
        hint = f"did you mean {near[0]}?" if near else ""
        raise RequestError("no catalog has this bundle", field=f"--installed {name}", hint=hint)
    bundle = next((bundle for bundle in found if bundle.package in owners), found[0])
    return Installed(
        name=bundle.name,
        version=_version(bundle),
        properties=bundle.properties,
        subscription=owners.get(bundle.package),
    )


def _version(bundle: Bundle) -> str:
    """The text of the version that the bundle publishes for its package, "" if none."""
    for item in bundle.properties:
        if item.type == "olm.package" and isinstance(item.value, dict):
            version = item.value.get("version")
            if isinstance(version, str):
                return version
    return ""
