"""The rules between a resolved bundle and an installed one: what OLM v1's controller refuses before it applies objects.

In reading order: ``settings`` (what the controller can do at all, the parts of a ClusterExtension that resolution does
not read, and a refusal), ``content`` (what is known of a bundle's manifests), and the rules in the order of the
controller: ``checking`` (unsupported bundles), ``inline_config`` (``spec.config``), ``bundle_validators``.
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.v1.installing.bundle_validators import is_namespaced as is_namespaced
    from olmsolve.v1.installing.bundle_validators import validator_faults as validator_faults
    from olmsolve.v1.installing.checking import bundle_refusal as bundle_refusal
    from olmsolve.v1.installing.checking import unknown_facts as unknown_facts
    from olmsolve.v1.installing.content import BundleContent as BundleContent
    from olmsolve.v1.installing.content import bundle_content as bundle_content
    from olmsolve.v1.installing.inline_config import config_faults as config_faults
    from olmsolve.v1.installing.settings import DEFAULT_GATES as DEFAULT_GATES
    from olmsolve.v1.installing.settings import FeatureGates as FeatureGates
    from olmsolve.v1.installing.settings import InstallationRefusal as InstallationRefusal
    from olmsolve.v1.installing.settings import InstallRule as InstallRule
    from olmsolve.v1.installing.settings import InstallSettings as InstallSettings
else:
    __getattr__, __dir__ = lazily(__name__)
