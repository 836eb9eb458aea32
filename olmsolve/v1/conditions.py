"""The conditions in the status of an extension, as values."""

from __future__ import annotations

from typing import Any

import attrs


@attrs.frozen
class ExtensionCondition:
    """A condition of an extension; *status* is ``"True"``, ``"False"`` or ``"Unknown"``."""

    type: str
    status: str
    reason: str
    message: str

    def to_dict(self) -> dict[str, Any]:
        """Return the condition as manifests write it, without its time."""
        return {"type": self.type, "status": self.status, "reason": self.reason, "message": self.message}
