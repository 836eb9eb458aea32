"""Reasons why extensions cannot be planned together, or one gets less than it wants: constraints as values."""

from __future__ import annotations

from typing import ClassVar, Final

from olmsolve._records import Record, field, record
from olmsolve.catalog.index import Group
from olmsolve.errors import ConstraintError
from olmsolve.predicates import Predicate

_NAMED: Final = 5


@record(
    definition="planReason", about="A constraint that cannot hold together with others.", layout=("kind", "text", ...)
)
class PlanReason(Record):
    """One of the constraints that cannot all hold; its ``str()`` is a sentence without a full stop."""

    kind: ClassVar[str]


@record(kind="extension", about="An extension must get one of these bundles.")
class ExtensionNeeds(PlanReason):
    """The extension for *package* must get one of *candidates*, the names of bundles; none where nothing is left."""

    package: str = field("The package of the extension.")
    candidates: tuple[str, ...] = field("The bundles that the extension can get.")

    def __str__(self) -> str:
        only = f"only {_first_names(self.candidates)}" if self.candidates else "nothing"
        return f"the extension for package {self.package} can get {only}"


@record(kind="requirement", about="A bundle has a requirement that only these meet.")
class BundleNeeds(PlanReason):
    """*bundle* has the *requirement* that only *candidates* meet."""

    bundle: str = field("The bundle with the requirement.")
    requirement: Predicate = field("The requirement.", written=str)
    candidates: tuple[str, ...] = field("The bundles that meet the requirement.")

    def __str__(self) -> str:
        only = f"only {_first_names(self.candidates)}" if self.candidates else "nothing"
        return f"{self.bundle} requires {self.requirement}, which {only} meets"


@record(kind="only-one", about="At most one of these bundles can be installed.")
class OnlyOneOf(PlanReason):
    """At most one of *bundles* can be installed, because of their *group*: a package, or the providers of an API."""

    group: Group = field("What the bundles share: a package or an API.", written=str)
    bundles: tuple[str, ...] = field("The bundles of which at most one can be installed.")

    def __str__(self) -> str:
        shared = f"provide {self.group}" if self.group.kind == "api" else f"are bundles of {self.group}"
        return f"at most one of {_first_names(self.bundles)} can be installed, because they {shared}"


@record(
    kind="unreadable",
    says="the requirements of {bundle} cannot be read: {reason}",
    about="The requirements of a bundle cannot be read.",
)
class UnplannableBundle(PlanReason):
    """The requirements of *bundle* cannot be read, for the *reason*."""

    bundle: str = field("The bundle with requirements that cannot be read.")
    reason: ConstraintError = field("What is wrong with them.", written=str, eq=str)


@record(kind="chosen-before", says="{bundle} is chosen before it", about="A bundle is chosen for an earlier extension.")
class ChosenBefore(PlanReason):
    """*bundle* is chosen for an earlier extension, which comes first."""

    bundle: str = field("The bundle that is chosen before.")


def _first_names(names: tuple[str, ...]) -> str:
    shown = names if len(names) <= _NAMED + 1 else (*names[:_NAMED], f"{len(names) - _NAMED} more")
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} or {shown[-1]}"
