"""A catalog served as clusters read it: the registry API of ``opm serve``, and the HTTP API of catalogd.

* ``wire`` writes and reads messages of protocol buffers; ``registry`` answers each call of the registry API, with the
  messages of bundles, and ``grpc_server`` offers the calls with grpcio;
* ``http_server`` offers catalogd's API;
* ``served_catalog`` has the answers of both, takes a changed catalog in place of the old one, and counts requests.

OLM classic reads a catalog through the registry API (``spec.address`` of a CatalogSource), OLM v1 through catalogd's.
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.serving.grpc_server import RegistryServer as RegistryServer
    from olmsolve.serving.http_server import MetasServer as MetasServer
    from olmsolve.serving.registry import NotServedError as NotServedError
    from olmsolve.serving.registry import Registry as Registry
    from olmsolve.serving.served_catalog import Metas as Metas
    from olmsolve.serving.served_catalog import RequestCounts as RequestCounts
    from olmsolve.serving.served_catalog import ServedCatalog as ServedCatalog
    from olmsolve.serving.served_catalog import Snapshot as Snapshot
else:
    __getattr__, __dir__ = lazily(__name__)
