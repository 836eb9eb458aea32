"""The parts of a ClusterExtension's specification that resolution does not read, and installation does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs


@attrs.frozen
class InstallSettings:
    """The wishes of an extension that matter once its bundle is resolved.

    *namespace* is ``spec.namespace`` ("" where a document names none), *config* is ``spec.config.inline`` (None without
    one), and *crd_upgrade_safety* whether ``install.preflight.crdUpgradeSafety`` is enforced.
    """

    namespace: str = ""
    config: Mapping[str, Any] | None = attrs.field(default=None, hash=False)
    crd_upgrade_safety: bool = True
