"""Settings that decide beside the bundle (feature gates, and what a specification says of installing), and refusals.

A refusal to install a resolved bundle has the controller's words, and ours beside them.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Any, Final, Literal

import olmsolve._attrs as attrs
from olmsolve._arguments import by_name, every, is_flag, is_text
from olmsolve._named_tuples import NamedTuple
from olmsolve._records import Record, declared, meaning
from olmsolve.errors import RequestError
from olmsolve.v1.installing.inline_config import watch_namespace


class InstallRule(enum.StrEnum):
    """The rules that refuse a resolved bundle, in the order in which the controller checks them."""

    MANIFESTS = "manifests"
    API_SERVICE = "api-service"
    WEBHOOK = "webhook"
    INSTALL_MODE = "install-mode"
    CONFIG = "config"
    VALIDATOR = "validator"
    ACCOUNT = "account"
    OWNERSHIP = "ownership"
    CRD_UPGRADE = "crd-upgrade"


RETRYING = "Retrying"
"""The reason of the condition Progressing while the controller tries again."""

INVALID_CONFIGURATION = "InvalidConfiguration"
"""The reason of the condition Progressing where the controller waits for another ``spec.config``."""


@attrs.frozen
class InstallationRefusal:
    """A bundle that the controller does not install: *rule* says why, *message* is the controller's text.

    *reason* is the reason of the condition Progressing. *note* says in other words what that means and what to do. A
    refusal *in_rollout* comes from the revision, after the controller has made it, and does not name the bundle.
    """

    rule: InstallRule
    message: str
    note: str = ""
    reason: str = RETRYING
    in_rollout: bool = False

    def __str__(self) -> str:
        return self.message


class _Default(NamedTuple):
    """A gate's default, and whether ``AllAlpha`` turns it on."""

    is_on: bool
    is_alpha: bool = True


# As `operator-controller --help` of July 2026 lists them, and the two for webhooks, which are on and not listed.
_GATES: Final[Mapping[str, _Default]] = {
    "BoxcutterRuntime": _Default(False),
    "BundleReleaseSupport": _Default(False),
    "DeploymentConfig": _Default(False),
    "HelmChartSupport": _Default(False),
    "PreflightPermissions": _Default(False),
    "SingleOwnNamespaceInstallSupport": _Default(False),
    "SyntheticPermissions": _Default(False),
    "WebhookProviderCertManager": _Default(True, is_alpha=False),
    "WebhookProviderOpenshiftServiceCA": _Default(True, is_alpha=False),
}
_ALL_ALPHA: Final = "AllAlpha"
_ALL_BETA: Final = "AllBeta"

DEFAULT_GATES: Final[Mapping[str, bool]] = {name: gate.is_on for name, gate in _GATES.items()}
"""The default of each gate, by name."""


def _checked(settings: Mapping[str, bool]) -> tuple[tuple[str, bool], ...]:
    gate_names = (*_GATES, _ALL_ALPHA, _ALL_BETA)
    for name, is_on in settings.items():
        if name not in gate_names:
            import difflib  # slow to load, and few need it

            # difflib's time grows with the square of the length, and a stranger may have written the name.
            near = difflib.get_close_matches(str(name)[:64], gate_names, n=1)
            hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(gate_names)}"
            raise RequestError("operator-controller has no such feature gate", field=f"feature_gates.{name}", hint=hint)
        if not isinstance(is_on, bool):
            raise RequestError("must be true or false", field=f"feature_gates.{name}")
    return tuple(sorted(settings.items()))


def _from_mapping(settings: Mapping[str, bool] | tuple[tuple[str, bool], ...]) -> tuple[tuple[str, bool], ...]:
    if not isinstance(settings, Mapping):
        pairs = every(settings, object, "settings")
        if not all(isinstance(pair, tuple) and len(pair) == 2 for pair in pairs):
            raise RequestError("must be pairs of a name, and True or False", field="settings")
        settings = dict(pairs)  # type: ignore[arg-type]
    return _checked(settings)


@attrs.frozen
class FeatureGates:
    """The gates of a controller: its *settings* (name and whether it is on), and the defaults for all others.

    ``AllAlpha`` turns on the alpha gates that are not set by themselves; no gate is beta.

    Raises:
        RequestError: operator-controller has no such gate, or a setting is neither True nor False.
    """

    settings: tuple[tuple[str, bool], ...] = attrs.field(default=(), converter=_from_mapping)

    def besides(self, name: str) -> FeatureGates:
        """Return these gates without a setting for the gate *name*."""
        return FeatureGates(tuple(setting for setting in self.settings if setting[0] != name))

    def is_on(self, name: str) -> bool:
        """Return whether the gate *name*, which must be known, is on."""
        gate, settings = _GATES[name], dict(self.settings)
        default = gate.is_on or (gate.is_alpha and settings.get(_ALL_ALPHA, False))
        return settings.get(name, default)


def _config(values: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    return None if values is None else by_name(values, "config", object, "fields by their names")


def _enforcement(is_enforced: bool) -> Literal["", "Strict", "None"]:
    return "" if is_enforced else "None"


@declared(about="The settings of the installation, which follows the resolution.", layout=(..., "config"))
@attrs.frozen
class InstallSettings(Record):
    """The settings of an extension that matter once its bundle is resolved.

    *namespace* is ``spec.namespace`` ("" where a document names none), *config* is ``spec.config.inline`` (None without
    one), and *crd_upgrade_safety* whether ``install.preflight.crdUpgradeSafety`` is enforced.
    """

    namespace: str = attrs.field(
        default="", validator=is_text, metadata=meaning("The namespace of the operator.", empty="absent")
    )
    config: Mapping[str, Any] | None = attrs.field(
        default=None,
        hash=False,
        converter=_config,
        metadata=meaning("The inline configuration (spec.config.inline).", empty="optional"),
    )
    crd_upgrade_safety: bool = attrs.field(
        default=True,
        validator=is_flag,
        metadata=meaning(
            "Whether definitions are only replaced where that is safe.", empty="absent", written=_enforcement
        ),
    )

    @property
    def watch_namespace(self) -> str:
        """The one namespace that the operator is to watch, by *config*; "" where it names none."""
        return watch_namespace(self.config)
