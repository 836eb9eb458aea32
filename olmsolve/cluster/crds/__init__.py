"""The rules by which a new CustomResourceDefinition may replace an old one, in classic OLM and in OLM v1.

Read ``upgrade_check`` first: both verdicts, and the check of classic OLM, which validates objects under the new schema
(``object_validation``). OLM v1 compares the two schemas part by part (``v1_upgrade``). Both flatten schemas with
``definition_versions``.
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.cluster.crds.object_validation import Violation as Violation
    from olmsolve.cluster.crds.object_validation import schema_violations as schema_violations
    from olmsolve.cluster.crds.object_validation import validator as validator
    from olmsolve.cluster.crds.upgrade_check import ClassicVerdict as ClassicVerdict
    from olmsolve.cluster.crds.upgrade_check import InvalidObject as InvalidObject
    from olmsolve.cluster.crds.upgrade_check import Resource as Resource
    from olmsolve.cluster.crds.upgrade_check import UpgradeCheck as UpgradeCheck
    from olmsolve.cluster.crds.upgrade_check import check_crd_upgrade as check_crd_upgrade
    from olmsolve.cluster.crds.upgrade_check import check_upgrades as check_upgrades
    from olmsolve.cluster.crds.upgrade_check import invalid_object as invalid_object
    from olmsolve.cluster.crds.upgrade_check import missing_stored_version as missing_stored_version
    from olmsolve.cluster.crds.upgrade_check import missing_version_message as missing_version_message
    from olmsolve.cluster.crds.upgrade_check import upgrade_step as upgrade_step
    from olmsolve.cluster.crds.v1_upgrade import SchemaChange as SchemaChange
    from olmsolve.cluster.crds.v1_upgrade import upgrade_faults as upgrade_faults
else:
    __getattr__, __dir__ = lazily(__name__)
