"""The groups of which at most one member can be selected: the bundles of a package, and the providers of an API."""

from __future__ import annotations

from typing import Literal, NamedTuple

from olmsolve.predicates import GVK, Published


class Group(NamedTuple):
    """An at-most-one group: all bundles of the package *name*, or all that provide the API *name*.

    An API's name is ``group/version/Kind``. Groups are compared field by field, so all APIs come before all packages.
    """

    kind: Literal["api", "package"]
    name: str

    @property
    def gvk(self) -> GVK:
        """The API of a group of the kind ``"api"``."""
        return GVK(*self.name.rsplit("/", 2))

    def __str__(self) -> str:
        return f"package {self.name}" if self.kind == "package" else f"the API {self.name}"


def groups_of(facts: Published) -> tuple[Group, ...]:
    """Return the groups of a bundle: one for each of its ``olm.package`` properties and each API that it provides."""
    packages = dict.fromkeys([Group("package", name) for name, _ in facts.packages])
    return (*packages, *[Group("api", f"{group}/{version}/{kind}") for group, version, kind in facts.gvks])
