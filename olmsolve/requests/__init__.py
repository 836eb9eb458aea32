"""Every way in: documents and the objects of clusters become requests, with errors that name the field.

Reading order: ``documents`` (a file or a mapping is opened), ``reading`` (any document), ``classic`` and ``extension``
(what its fields mean), ``manifests`` (a cluster's objects from their files), ``cluster`` (objects become requests: one
road for resolving, planning and simulating).
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.requests.cluster import Contents as Contents
    from olmsolve.requests.cluster import extensions_of_cluster as extensions_of_cluster
    from olmsolve.requests.cluster import namespace_request as namespace_request
    from olmsolve.requests.cluster import namespaces_with_subscriptions as namespaces_with_subscriptions
    from olmsolve.requests.cluster import of_cluster as of_cluster
    from olmsolve.requests.cluster import only_namespace as only_namespace
    from olmsolve.requests.cluster import refuse_unknown_contents as refuse_unknown_contents
    from olmsolve.requests.cluster import visible_sources as visible_sources
    from olmsolve.requests.documents import opened as opened
    from olmsolve.requests.manifests import read_cluster as read_cluster
    from olmsolve.requests.reading import read_request as read_request
else:
    __getattr__, __dir__ = lazily(__name__)
