"""What is on a cluster, and the rules outside of catalogs."""

from olmsolve.cluster.openshift import (
    Blocking,
    HasProperties,
    blocks_cluster_update,
    max_openshift_version,
    next_minor,
)

__all__ = ["Blocking", "HasProperties", "blocks_cluster_update", "max_openshift_version", "next_minor"]
