"""Reasons why extensions cannot be planned together, or one gets less than it wants: constraints as values."""

from __future__ import annotations

from typing import Any, ClassVar, Final

import attrs

from olmsolve._worded import Worded
from olmsolve.catalog.index import Group
from olmsolve.errors import ConstraintError
from olmsolve.predicates import Predicate

_NAMED: Final = 5


@attrs.frozen
class PlanReason(Worded):
    """One of the constraints that cannot all hold; its ``str()`` is a sentence without a full stop."""

    kind: ClassVar[str]

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON data: the kind, the sentence and the fields."""
        fields = attrs.asdict(self, recurse=False)
        shown = {name: list(value) if type(value) is tuple else str(value) for name, value in fields.items()}
        return {**super().to_dict(), **shown}


@attrs.frozen
class ExtensionNeeds(PlanReason, kind="extension"):
    """The extension for *package* must get one of *candidates*, the names of bundles; none where nothing is left."""

    package: str
    candidates: tuple[str, ...]

    def __str__(self) -> str:
        only = f"only {_few(self.candidates)}" if self.candidates else "nothing"
        return f"the extension for package {self.package} can get {only}"


@attrs.frozen
class BundleNeeds(PlanReason, kind="requirement"):
    """*bundle* has the *requirement* that only *candidates* meet."""

    bundle: str
    requirement: Predicate
    candidates: tuple[str, ...]

    def __str__(self) -> str:
        only = f"only {_few(self.candidates)}" if self.candidates else "nothing"
        return f"{self.bundle} requires {self.requirement}, which {only} meets"


@attrs.frozen
class OnlyOneOf(PlanReason, kind="only-one"):
    """At most one of *bundles* can be installed, because of their *group*: a package, or the providers of an API."""

    group: Group
    bundles: tuple[str, ...]

    def __str__(self) -> str:
        shared = f"provide {self.group}" if self.group.kind == "api" else f"are bundles of {self.group}"
        return f"at most one of {_few(self.bundles)} can be installed, because they {shared}"


@attrs.frozen
class UnplannableBundle(PlanReason, kind="unreadable"):
    """The requirements of *bundle* cannot be read, for the *reason*."""

    bundle: str
    reason: ConstraintError = attrs.field(eq=str)

    def __str__(self) -> str:
        return f"the requirements of {self.bundle} cannot be read: {self.reason}"


@attrs.frozen
class ChosenBefore(PlanReason, kind="chosen-before"):
    """*bundle* is chosen for an earlier extension, which comes first."""

    bundle: str

    def __str__(self) -> str:
        return f"{self.bundle} is chosen before it"


def _few(names: tuple[str, ...]) -> str:
    shown = names if len(names) <= _NAMED + 1 else (*names[:_NAMED], f"{len(names) - _NAMED} more")
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} or {shown[-1]}"
