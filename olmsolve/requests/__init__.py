"""Every way in: documents and the objects of clusters become requests, with errors that name the field.

Reading order: ``situation`` (what every verb takes: the questions of ``policy``), ``gathering`` (a situation from
documents, folders and files, or from what strangers have sent), ``documents`` and ``reading`` (one request document),
``classic`` and ``extension`` (what its fields mean, house rules among them), ``manifests`` (a cluster's objects from
their files), ``cluster`` (objects become requests: one road for resolving, planning and simulating, and what OLM then
refuses to order), ``extension_owners`` (extensions of OLM v1) and ``contents`` (of a cluster's catalogs). ``released``
has deprecated functions. ``recorded_files`` finds the files of must-gathers and archives, ``fleet_files`` the recorded
clusters of a fleet, ``projects`` what a project file names; ``live`` reads a running cluster through ``api_server``.
``writing`` is the way back, from requests to documents.
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.requests.building import CATALOG_NAMESPACE as CATALOG_NAMESPACE
    from olmsolve.requests.building import NAMESPACE as NAMESPACE
    from olmsolve.requests.building import PackageBuilder as PackageBuilder
    from olmsolve.requests.building import catalog_of as catalog_of
    from olmsolve.requests.building import package as package
    from olmsolve.requests.building import request_for as request_for
    from olmsolve.requests.classic import read_house_rules as read_house_rules
    from olmsolve.requests.cluster import ClusterSituation as ClusterSituation
    from olmsolve.requests.cluster import namespaces_with_subscriptions as namespaces_with_subscriptions
    from olmsolve.requests.cluster import only_namespace as only_namespace
    from olmsolve.requests.cluster import open_channels_fault as open_channels_fault
    from olmsolve.requests.contents import CatalogFiles as CatalogFiles
    from olmsolve.requests.contents import Contents as Contents
    from olmsolve.requests.contents import Deferred as Deferred
    from olmsolve.requests.contents import MissingContentError as MissingContentError
    from olmsolve.requests.contents import catalogs_named as catalogs_named
    from olmsolve.requests.contents import keys_named as keys_named
    from olmsolve.requests.contents import known_paths as known_paths
    from olmsolve.requests.contents import refuse_unknown_contents as refuse_unknown_contents
    from olmsolve.requests.contents import scheme_in as scheme_in
    from olmsolve.requests.documents import RequestSource as RequestSource
    from olmsolve.requests.documents import SourceDocument as SourceDocument
    from olmsolve.requests.documents import documents_in as documents_in
    from olmsolve.requests.documents import is_live as is_live
    from olmsolve.requests.documents import opened as opened
    from olmsolve.requests.extension_owners import extension_request_of as extension_request_of
    from olmsolve.requests.extension_owners import extensions_of_cluster as extensions_of_cluster
    from olmsolve.requests.fleet_files import RecordedCluster as RecordedCluster
    from olmsolve.requests.fleet_files import fleet_items as fleet_items
    from olmsolve.requests.fleet_files import recorded_clusters as recorded_clusters
    from olmsolve.requests.gathering import Posted as Posted
    from olmsolve.requests.gathering import read_posted as read_posted
    from olmsolve.requests.gathering import read_situation as read_situation
    from olmsolve.requests.live import LiveCluster as LiveCluster
    from olmsolve.requests.live import live_cluster as live_cluster
    from olmsolve.requests.live import live_situation as live_situation
    from olmsolve.requests.manifests import objects_in as objects_in
    from olmsolve.requests.manifests import read_cluster as read_cluster
    from olmsolve.requests.policy import ClassicQuestion as ClassicQuestion
    from olmsolve.requests.policy import ExtensionQuestion as ExtensionQuestion
    from olmsolve.requests.policy import Policy as Policy
    from olmsolve.requests.policy import Question as Question
    from olmsolve.requests.projects import Project as Project
    from olmsolve.requests.projects import ProjectCatalog as ProjectCatalog
    from olmsolve.requests.projects import project as project
    from olmsolve.requests.reading import read_extension_request as read_extension_request
    from olmsolve.requests.reading import read_request as read_request
    from olmsolve.requests.recorded_files import NamedBytes as NamedBytes
    from olmsolve.requests.released import cluster_of_settings as cluster_of_settings
    from olmsolve.requests.released import namespace_request as namespace_request
    from olmsolve.requests.released import of_cluster as of_cluster
    from olmsolve.requests.released import refuse_missing_contents as refuse_missing_contents
    from olmsolve.requests.released import visible_sources as visible_sources
    from olmsolve.requests.situation import QuestionAnswer as QuestionAnswer
    from olmsolve.requests.situation import Situation as Situation
    from olmsolve.requests.situation import needs_objects as needs_objects
    from olmsolve.requests.situation import unanswered as unanswered
    from olmsolve.requests.writing import request_document as request_document
else:
    __getattr__, __dir__ = lazily(__name__)
