"""A refusal to install a resolved bundle: the controller's words, with ours beside them."""

from __future__ import annotations

import enum

import olmsolve._attrs as attrs


class InstallRule(enum.StrEnum):
    """The rules by which a resolved bundle is refused, in the order in which the controller meets them."""

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
