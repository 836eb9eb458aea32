"""Situations: documents and a cluster's objects as questions, under one policy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

import olmsolve
from olmsolve.requests import ClassicQuestion, ExtensionQuestion, Question
from tests.growing import times_as_long

OPERATORS = "operators.coreos.com/v1alpha1"

BLOBS: list[dict[str, Any]] = [
    {"schema": "olm.package", "name": "p", "defaultChannel": "stable"},
    {"schema": "olm.channel", "package": "p", "name": "stable", "entries": [{"name": "p.v1"}]},
    {
        "schema": "olm.bundle",
        "package": "p",
        "name": "p.v1",
        "image": "p:1",
        "properties": [{"type": "olm.package", "value": {"packageName": "p", "version": "1.0.0"}}],
    },
]
V1 = "olm.operatorframework.io/v1"
EXTENSION = {
    "apiVersion": V1,
    "kind": "ClusterExtension",
    "metadata": {"name": "p"},
    "spec": {"namespace": "p", "source": {"sourceType": "Catalog", "catalog": {"packageName": "p"}}},
}
CLUSTER_CATALOG = {"apiVersion": V1, "kind": "ClusterCatalog", "metadata": {"name": "main"}}
DOCUMENT = {
    "name": "wanted",
    "namespaces": ["ns"],
    "catalogs": [{"name": "cat", "namespace": "ns", "blobs": BLOBS}],
    "subscriptions": [{"name": "p", "package": "p"}],
}


def catalog_source(namespace: str, name: str) -> dict[str, Any]:
    return {"apiVersion": OPERATORS, "kind": "CatalogSource", "metadata": {"name": name, "namespace": namespace}}


def namespace(name: str, catalogs: str = "olm") -> list[dict[str, Any]]:
    metadata = {"name": "p", "namespace": name}
    wish = {"name": "p", "channel": "stable", "source": "cat", "sourceNamespace": catalogs}
    return [
        {"apiVersion": "operators.coreos.com/v1", "kind": "OperatorGroup", "metadata": metadata},
        {"apiVersion": OPERATORS, "kind": "Subscription", "metadata": metadata, "spec": wish},
    ]


def content() -> olmsolve.Catalog:
    return olmsolve.fbc.from_blobs(BLOBS)


def as_list(*objects: dict[str, Any]) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "List", "items": list(objects)}


def answered(question: Question) -> olmsolve.Resolution | olmsolve.v1.ExtensionResolution:
    request = question.request()
    if isinstance(request, olmsolve.Request):
        return olmsolve.resolve(request, semantics=question.semantics)
    return olmsolve.resolve(request)


def test_each_namespace_and_each_extension_is_a_question() -> None:
    """A dump holds many wishes; nobody should have to say which kinds it has."""
    dump = as_list(*namespace("b"), *namespace("a"), catalog_source("olm", "cat"), EXTENSION, CLUSTER_CATALOG)
    situation = olmsolve.read_situation(dump, catalogs={"olm/cat": content(), "main": content()})
    assert [(type(question), question.name) for question in situation.questions] == [
        (ClassicQuestion, "a"),
        (ClassicQuestion, "b"),
        (ExtensionQuestion, "p"),
    ]
    answers = situation.ask(answered)
    assert all(answer.error is None for answer in answers)


def test_one_broken_question_leaves_the_others() -> None:
    """A namespace without an operator group fails in OLM as well, and its neighbours do not."""
    dump = as_list(*namespace("a"), namespace("b")[1], catalog_source("olm", "cat"))
    first, second = olmsolve.read_situation(dump, catalogs={"olm/cat": content()}).ask(answered)
    assert first.value is not None
    assert "namespace b: it has no operator group" in str(second.error)


def test_contents_are_loaded_when_a_question_touches_them(tmp_path: Path) -> None:
    """A cluster has catalogs of gigabytes; the question about one namespace should not read the others'."""
    loaded = []

    def load(path: Path) -> olmsolve.Catalog:
        loaded.append(path.name)
        return content()

    dump = as_list(*namespace("a", "a"), catalog_source("a", "cat"), *namespace("b", "b"), catalog_source("b", "cat"))
    situation = olmsolve.read_situation(dump, catalogs={"a/cat": "one", "b/cat": "two"}, load=load)
    assert loaded == []
    (answer,) = situation.only(namespace="b").ask(answered)
    assert answer.value is not None
    assert loaded == ["two"]


def test_an_annotation_says_where_content_is(tmp_path: Path) -> None:
    """So that a folder with a dump and its catalogs can be given to a colleague as it is."""
    (tmp_path / "catalog.json").write_text("".join(map(json.dumps, BLOBS)))
    source = catalog_source("olm", "cat")
    source["metadata"]["annotations"] = {"olmsolve/file": "catalog.json"}
    (tmp_path / "dump.yaml").write_text(yaml.safe_dump(as_list(*namespace("a"), source)))
    (answer,) = olmsolve.read_situation(tmp_path / "dump.yaml").ask(answered)
    assert answer.value is not None


def test_documents_and_objects_mix(tmp_path: Path) -> None:
    """A folder may hold a dump in several files, and a request beside it."""
    (tmp_path / "1.yaml").write_text(yaml.safe_dump_all(namespace("a")))
    (tmp_path / "2.json").write_text(json.dumps(catalog_source("olm", "cat")))
    (tmp_path / "3.yaml").write_text(yaml.safe_dump(DOCUMENT))
    (tmp_path / "notes.txt").write_text("no document")
    situation = olmsolve.read_situation(tmp_path, catalogs={"olm/cat": content()})
    assert [question.name for question in situation.questions] == ["wanted", "a"]
    assert [question.is_document for question in situation.questions] == [True, False]


def test_documents_of_comments_alone_are_passed_over(tmp_path: Path) -> None:
    """People annotate their dumps, and kubectl takes them so."""
    (tmp_path / "dump.yaml").write_text(
        f"# our shop\n---\n{yaml.safe_dump_all(namespace('shop'))}---\n# the end\n---\n"
    )
    situation = olmsolve.read_situation(tmp_path / "dump.yaml")
    assert [question.name for question in situation.questions] == ["shop"]


def test_each_document_has_a_name_of_its_own() -> None:
    """Answers are told apart by their names, and documents without one must not overwrite each other's."""
    unnamed = {field: value for field, value in DOCUMENT.items() if field != "name"}
    questions = olmsolve.read_situation(DOCUMENT, unnamed, DOCUMENT, unnamed).questions
    assert [question.name for question in questions] == ["wanted", "request", "wanted (2)", "request (2)"]


def test_names_are_given_in_linear_time() -> None:
    """Sixteen times as many documents with one name take about sixteen times as long, where squares take 256."""

    def read(count: int) -> None:
        olmsolve.read_situation(*[DOCUMENT] * count)

    assert times_as_long(read, 250, 4_000) < 64


def test_a_number_that_a_document_has_as_its_name_is_passed_over() -> None:
    """People may have numbered their documents themselves."""
    names = ("wanted", "wanted (2)", "wanted", "wanted", "wanted (2)")
    questions = olmsolve.read_situation(*({**DOCUMENT, "name": name} for name in names)).questions
    assert [question.name for question in questions] == [*names[:2], "wanted (3)", "wanted (4)", "wanted (2) (2)"]


def test_a_namespace_is_no_document_of_that_name() -> None:
    """The option chooses from the cluster; a document is asked by being given."""
    with pytest.raises(olmsolve.RequestError, match="there are: none"):
        olmsolve.read_situation(DOCUMENT).only(namespace="wanted")


def test_blobs_of_catalogs_beside_a_dump_are_passed_over(tmp_path: Path) -> None:
    """An annotation may name a catalog in the same folder. A catalog given as a request is a mistake."""
    (tmp_path / "dump.yaml").write_text(yaml.safe_dump_all(namespace("a")))
    (tmp_path / "catalog.json").write_text("".join(map(json.dumps, BLOBS)))
    assert [question.name for question in olmsolve.read_situation(tmp_path).questions] == ["a"]
    with pytest.raises(olmsolve.RequestError, match=r"neither a request nor an object .*catalogs are given by"):
        olmsolve.read_situation(tmp_path / "catalog.json")


@pytest.mark.parametrize("field", ["semantics", "health_policy"])
def test_a_policy_that_does_not_exist_is_refused(field: str) -> None:
    """With the values that there are."""
    with pytest.raises(olmsolve.RequestError, match=f"{field}: there is no 'banana'"):
        olmsolve.Policy(**{field: "banana"})  # type: ignore[arg-type]


def test_a_global_namespace_without_catalogs_is_refused() -> None:
    """Misspelt, it would hide every shared catalog, and the way out would be to delete the subscription."""
    dump = as_list(*namespace("a"), catalog_source("olm", "cat"))
    with pytest.raises(olmsolve.RequestError, match=r"global namespace nowhere: .* \(some are in: olm\)"):
        olmsolve.read_situation(dump, policy=olmsolve.Policy(global_namespace="nowhere"))


def test_semantics_follow_the_kind_of_situation() -> None:
    """A cluster runs the controller. Who asks for other semantics gets them everywhere."""
    dump = as_list(*namespace("a"))
    documented = olmsolve.Policy(semantics="documented")
    both = olmsolve.read_situation(dump, DOCUMENT).questions
    assert [question.semantics.value for question in both] == ["documented", "controller"]
    (alone,) = olmsolve.read_situation(dump, policy=documented).questions
    assert alone.semantics is olmsolve.Semantics.DOCUMENTED


def test_the_global_namespace_is_guessed_from_the_catalogs() -> None:
    """OpenShift's catalogs are in openshift-marketplace, and its users should not have to say so."""
    marketplace = catalog_source("openshift-marketplace", "cat")
    dump = as_list(*namespace("a", "openshift-marketplace"), marketplace)
    (answer,) = olmsolve.read_situation(dump, catalogs={"openshift-marketplace/cat": content()}).ask(answered)
    assert answer.value is not None
    both = olmsolve.read_situation(as_list(marketplace, catalog_source("olm", "cat")))
    assert both.cluster is not None
    assert both.cluster.global_namespace == "olm"


@pytest.mark.parametrize(
    ("policy", "words"),
    [
        ({"operator_groups": True}, "operator_groups: matters for a cluster's objects only"),
        ({"global_namespace": "olm"}, "global_namespace: matters for a cluster's objects only"),
    ],
)
def test_a_policy_that_cannot_matter_to_a_document_is_refused(policy: dict[str, Any], words: str) -> None:
    """Ignored, it would look obeyed."""
    (answer,) = olmsolve.read_situation(DOCUMENT, policy=olmsolve.Policy(**policy)).ask(answered)
    assert words in str(answer.error)


def test_versions_count_for_documents_too() -> None:
    """The request says nothing of the cluster's version, and whoever asks knows it."""
    blobs = json.loads(json.dumps(BLOBS))
    blobs[2]["properties"].append({"type": "olm.maxOpenShiftVersion", "value": "4.10"})
    document = {**DOCUMENT, "catalogs": [{"name": "cat", "namespace": "ns", "blobs": blobs}]}
    (answer,) = olmsolve.read_situation(document, policy=olmsolve.Policy(openshift="4.11")).ask(answered)
    assert isinstance(answer.error, olmsolve.Unsatisfiable)
    assert "it works up to OpenShift 4.10" in str(answer.error)


@pytest.mark.parametrize("field", ["kubernetes", "openshift"])
def test_a_version_that_is_none_is_refused_at_once(field: str) -> None:
    """Before any catalog is read."""
    with pytest.raises(olmsolve.RequestError, match=f"{field} banana: not a version"):
        olmsolve.Policy(**{field: "banana"})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("sources", "catalogs", "words"),
    [
        ((), {}, "nothing to read"),
        (("absent.yaml",), {}, "absent.yaml: cannot be read"),
        ((DOCUMENT,), {"olm/cat": "x"}, "there is no cluster whose catalogs these could be"),
        ((as_list(catalog_source("olm", "cat")),), {"olm/cta": "x"}, "did you mean olm/cat?"),
        ((3,), {}, "a mapping, a path or an open file is needed, not an int"),
    ],
)
def test_what_makes_no_situation_is_said(sources: tuple[Any, ...], catalogs: dict[str, str], words: str) -> None:
    """One error, which says what to do."""
    with pytest.raises(olmsolve.RequestError) as caught:
        olmsolve.read_situation(*sources, catalogs=catalogs)
    assert words in str(caught.value)


def test_a_question_that_is_not_there_is_recognised() -> None:
    """The nearest name is what was meant, most of the time."""
    situation = olmsolve.read_situation(as_list(*namespace("shop"), EXTENSION))
    with pytest.raises(olmsolve.RequestError, match=r"namespace shpo: .* \(did you mean shop\?\)"):
        situation.only(namespace="shpo")
    with pytest.raises(olmsolve.RequestError, match=r"extension q: no extension has this name \(there are: p\)"):
        situation.only(extension="q")
    assert [question.name for question in situation.only(namespace="shop", extension="p").questions] == ["shop", "p"]


def test_versions_count_for_extensions_too() -> None:
    """An option that holds for a subscription and is passed over for an extension answers another question."""
    blobs = json.loads(json.dumps(BLOBS))
    everywhere = {"type": "AllNamespaces", "supported": True}
    metadata = {"minKubeVersion": "1.31.0", "installModes": [everywhere]}
    blobs[-1]["properties"].append({"type": "olm.csv.metadata", "value": metadata})
    catalogs = {"main": olmsolve.fbc.from_blobs(blobs)}
    document = {"name": "p", "catalogs": [{"name": "main", "blobs": blobs}], "extension": {"packageName": "p"}}
    policy = olmsolve.Policy(kubernetes="1.30.0")
    bare = olmsolve.read_extension_request(document)
    for situation in (
        olmsolve.read_situation(as_list(EXTENSION, CLUSTER_CATALOG), catalogs=catalogs, policy=policy),
        olmsolve.read_situation(document, policy=policy),
        olmsolve.Situation.of(bare, policy),
    ):
        (answer,) = situation.ask(answered)
        assert "needs Kubernetes 1.31.0" in str(answer.error)
    assert olmsolve.Situation.of(bare).ask(answered)[0].error is None
