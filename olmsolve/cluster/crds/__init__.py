"""Whether a new CustomResourceDefinition may replace an old one: the rules of classic OLM and of OLM v1.

Read ``upgrade_check`` first: both verdicts. Classic OLM validates objects under the new schema (``classic_upgrade``,
``object_validation``). OLM v1 compares the two schemas part by part (``v1_upgrade``, ``schema_changes``,
``changed_fields``). Both flatten schemas with ``schema_tree``.
"""

from olmsolve.cluster.crds.classic_upgrade import (
    ClassicVerdict,
    InvalidObject,
    Resource,
    invalid_object,
    missing_stored_version,
    missing_version_message,
    upgrade_step,
)
from olmsolve.cluster.crds.object_validation import Violation, validator, violations
from olmsolve.cluster.crds.upgrade_check import UpgradeCheck, check_upgrade, check_upgrades
from olmsolve.cluster.crds.v1_upgrade import SchemaChange, upgrade_faults

__all__ = [
    "ClassicVerdict",
    "InvalidObject",
    "Resource",
    "SchemaChange",
    "UpgradeCheck",
    "Violation",
    "check_upgrade",
    "check_upgrades",
    "invalid_object",
    "missing_stored_version",
    "missing_version_message",
    "upgrade_faults",
    "upgrade_step",
    "validator",
    "violations",
]
