"""The names of operators whose installation is assumed to fail: each must be an operator that can be installed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from olmsolve._near_names import did_you_mean, similar_names
from olmsolve.catalog import Catalog
from olmsolve.cluster import ClusterState
from olmsolve.cluster.objects import ClusterServiceVersion, InstallPlan
from olmsolve.errors import RequestError
from olmsolve.requests import Contents


def refuse_unknown_failing(
    failing: Iterable[str], state: ClusterState, contents: Contents, namespaces: Sequence[str]
) -> None:
    """Raise a RequestError for a member of *failing* (``namespace/name``) that no step can install.

    A step can install, in each of the simulated *namespaces*, the bundles of *contents* and the operators of its
    install plans; an operator that is there already may be on its way to work.
    """
    for key in sorted(failing):
        namespace, slash, name = key.partition("/")
        if not slash or not namespace or not name:
            raise _fault(key, "is not of the form NAMESPACE/NAME", "for example shop/ledger.v2.0.1")
        present = {csv.name for csv in state.all(ClusterServiceVersion, namespace) if not csv.is_copied}
        if name in present:
            continue
        if namespace not in namespaces:
            near = [f"{each}/{name}" for each in similar_names(namespace, namespaces)]
            known = did_you_mean(near) or f"simulated are {', '.join(namespaces[:10])}"
            raise _fault(key, f"nothing is installed in namespace {namespace}", known)
        present.update(each for plan in state.all(InstallPlan, namespace) for each in plan.csv_names)
        packages = [
            package
            for content in contents.values()
            if isinstance(content, Catalog)
            for package in content.packages.values()
        ]
        if name in present or any(name in package.bundles for package in packages):
            continue
        names = sorted(present.union(*(package.bundles for package in packages)))
        meant = did_you_mean([f"{namespace}/{each}" for each in similar_names(name, names)])
        raise _fault(key, "no catalog has a bundle of this name, and no such operator is installed", meant)


def _fault(key: str, reason: str, hint: str) -> RequestError:
    return RequestError(reason, field=f"failing {key}", hint=hint)
