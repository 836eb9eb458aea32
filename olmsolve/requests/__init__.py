"""Every way in: documents and the objects of clusters become requests, with errors that name the field."""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.requests.cluster import Contents as Contents
    from olmsolve.requests.cluster import extensions_of_cluster as extensions_of_cluster
    from olmsolve.requests.cluster import namespace_request as namespace_request
    from olmsolve.requests.cluster import namespaces_with_subscriptions as namespaces_with_subscriptions
    from olmsolve.requests.cluster import of_cluster as of_cluster
    from olmsolve.requests.cluster import only_namespace as only_namespace
    from olmsolve.requests.cluster import visible_sources as visible_sources
    from olmsolve.requests.documents import opened as opened
    from olmsolve.requests.manifests import read_cluster as read_cluster
    from olmsolve.requests.reading import read_request as read_request
else:
    __getattr__, __dir__ = lazily(__name__)
