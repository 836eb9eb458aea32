"""The groups of which at most one member can be selected: the bundles of a package, and the providers of an API."""

from __future__ import annotations

from typing import Literal

from olmsolve._named_tuples import NamedTuple
from olmsolve.predicates import GVK, Published


class Group(NamedTuple):
    """An at-most-one group: all bundles of the package *name*, or all that provide the API of this *name*.

    An API's name is ``group/version/Kind``. In a version or kind, ``%2F`` stands for a slash and ``%25`` for ``%``, so
    that no two APIs have one name. Groups are compared field by field, so all APIs come before all packages.

    >>> Group.of_api(GVK("g", "v1", "K"))
    Group(kind='api', name='g/v1/K')
    >>> Group.of_api(GVK("g", "v/x", "K")).name, Group.of_api(GVK("g/v", "x", "K")).name
    ('g/v%2Fx/K', 'g/v/x/K')
    """

    kind: Literal["api", "package"]
    name: str

    @classmethod
    def of_api(cls, api: GVK) -> Group:
        """Return the group of all bundles that provide *api*."""
        group, version, kind = api
        if "/" in version or "/" in kind or "%" in version or "%" in kind:
            version, kind = _escaped(version), _escaped(kind)
        return cls("api", f"{group}/{version}/{kind}")

    @property
    def gvk(self) -> GVK:
        """The API of a group of the kind ``"api"``."""
        group, version, kind = self.name.rsplit("/", 2)
        return GVK(group, _unescaped(version), _unescaped(kind))

    def __str__(self) -> str:
        return f"package {self.name}" if self.kind == "package" else f"the API {self.gvk}"


def _escaped(part: str) -> str:
    return part.replace("%", "%25").replace("/", "%2F")


def _unescaped(part: str) -> str:
    return part.replace("%2F", "/").replace("%25", "%")


def groups_of(facts: Published) -> tuple[Group, ...]:
    """Return the groups of a bundle: one for each of its ``olm.package`` properties and each API that it provides."""
    packages = dict.fromkeys([Group("package", name) for name, _ in facts.packages])
    return (*packages, *map(Group.of_api, facts.gvks))
