"""ClusterExtensions of OLM v1 on a cluster: which ones an API server accepts, and what objects and rights forbid.

``admission`` (with ``admission_schemas``) says which objects an API server accepts. ``controller`` reads feature gates
and revisions from the objects. ``object_names`` names what a bundle puts on the cluster. ``present_objects``,
``accounts`` and, in ``controller``, certificates are the checks that the controller makes against existing objects and
the rights of the extension's account.
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.cluster.extensions.accounts import AccountIsPreauthorized as AccountIsPreauthorized
    from olmsolve.cluster.extensions.accounts import AccountMayApply as AccountMayApply
    from olmsolve.cluster.extensions.accounts import missing_account as missing_account
    from olmsolve.cluster.extensions.accounts import resource_of as resource_of
    from olmsolve.cluster.extensions.accounts import rights_of_account as rights_of_account
    from olmsolve.cluster.extensions.admission import admission_fault as admission_fault
    from olmsolve.cluster.extensions.admission import transition_fault as transition_fault
    from olmsolve.cluster.extensions.admission import wish_faults as wish_faults
    from olmsolve.cluster.extensions.admission import written_fault as written_fault
    from olmsolve.cluster.extensions.controller import CertificatesAreMade as CertificatesAreMade
    from olmsolve.cluster.extensions.controller import certificates_missing as certificates_missing
    from olmsolve.cluster.extensions.controller import controller_gates as controller_gates
    from olmsolve.cluster.extensions.controller import revision_rolling_out as revision_rolling_out
    from olmsolve.cluster.extensions.object_names import BundleObject as BundleObject
    from olmsolve.cluster.extensions.object_names import bundle_objects as bundle_objects
    from olmsolve.cluster.extensions.present_objects import CrdUpgradesAreSafe as CrdUpgradesAreSafe
    from olmsolve.cluster.extensions.present_objects import ObjectsAreOwned as ObjectsAreOwned
    from olmsolve.cluster.extensions.present_objects import bundle_definitions as bundle_definitions
    from olmsolve.cluster.extensions.present_objects import foreign_objects as foreign_objects
    from olmsolve.cluster.extensions.present_objects import unsafe_definitions as unsafe_definitions
else:
    __getattr__, __dir__ = lazily(__name__)
