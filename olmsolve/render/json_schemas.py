"""JSON Schemas of everything that olmsolve writes as JSON, and of the request documents that it reads.

The definitions are in ``schemas/records.json``, which is made of the classes that declare their fields (``python -m
tests.records``). A schema is made of the definitions that it needs, so that it stands alone.

A command that answers several questions at once writes one document with an answer for each (docs/commands.md); which
documents are answers to which command is said here, by :data:`COMMANDS`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import resources
from typing import Any, Final

import olmsolve._attrs as attrs
from olmsolve._arguments import must_be
from olmsolve._reader import SITE, for_reader, with_addresses
from olmsolve.errors import RequestError

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_REFERENCE: Final = "#/$defs/"
_DOCUMENT: Final = "olmsolve."
_KIND: Final = "The kind of the object: another kind of object in its place has another value here."
_CONSTANTS: Final = {
    "schema": "The name of the document's schema.",
    "schemaVersion": "The version of the schema: it grows when a field is removed or changes its meaning.",
    "unsatisfiable": "The outcome: there is no plan.",
}
"""The descriptions of fields with one value, by name; all others distinguish alternatives."""


@attrs.frozen
class CommandAnswers:
    """The definitions of the documents that one command writes.

    *classic* answer questions about subscriptions, *v1* about extensions of OLM v1. With *each*, there may be a
    document for each question of a situation, under the schema ``olmsolve.cluster``.
    """

    classic: tuple[str, ...]
    v1: tuple[str, ...] = ()
    each: bool = False


COMMANDS: Final[Mapping[str, CommandAnswers]] = {
    "resolve": CommandAnswers(
        ("olmsolve.resolution", "olmsolve.unsatisfiable", "olmsolve.unsatisfiable-together"),
        ("olmsolve.v1.resolution", "olmsolve.v1.failure"),
        each=True,
    ),
    "explain": CommandAnswers(("olmsolve.explanation",), ("olmsolve.explanation",), each=True),
    "why": CommandAnswers(
        ("olmsolve.why", "olmsolve.unsatisfiable", "notInPlan"),
        ("olmsolve.v1.why", "olmsolve.v1.failure", "notInPlan"),
        each=True,
    ),
    "why-not": CommandAnswers(
        ("olmsolve.why-not", "olmsolve.unsatisfiable"), ("olmsolve.v1.why-not", "otherPackage"), each=True
    ),
    "diff": CommandAnswers(("olmsolve.diff", "onlyOnOneSide"), ("olmsolve.v1.diff", "onlyOnOneSide"), each=True),
    "path": CommandAnswers(("olmsolve.paths", "olmsolve.path"), ("olmsolve.v1.path", "noPath"), each=True),
    "plan": CommandAnswers(("writtenObjects",)),
    "simulate": CommandAnswers(("olmsolve.simulation",)),
    "blocking": CommandAnswers(("olmsolve.blocking",)),
    "impact": CommandAnswers(("olmsolve.impact", "olmsolve.journeys")),
    "journey": CommandAnswers(("olmsolve.journey",)),
    "groups": CommandAnswers(("olmsolve.groups",)),
    "metrics": CommandAnswers(("olmsolve.metrics",)),
    "migrate": CommandAnswers(("olmsolve.migration",), ("olmsolve.migration", "olmsolve.v1.differences"), each=True),
    "certify": CommandAnswers(("olmsolve.certificate",)),
    "verify": CommandAnswers(("olmsolve.verdict",)),
    "cnf": CommandAnswers(("olmsolve.cnf",)),
    "reduce": CommandAnswers(("olmsolve.request",), ("olmsolve.v1.request",)),
    "backends": CommandAnswers(("olmsolve.backends",)),
    "validate": CommandAnswers(("olmsolve.findings",)),
    "lint": CommandAnswers(("olmsolve.findings",)),
    "audit": CommandAnswers(("olmsolve.audit",)),
    "bench": CommandAnswers(("olmsolve.bench",)),
    "fuzz": CommandAnswers(("olmsolve.fuzz",)),
    "catalog diff": CommandAnswers(("olmsolve.catalog.diff",)),
    "catalog list": CommandAnswers(("olmsolve.catalog.list",)),
    "composite": CommandAnswers(("olmsolve.catalog.diff",)),
    "catalog v1": CommandAnswers(("olmsolve.catalog.v1",)),
    "catalog edges": CommandAnswers(("olmsolve.catalog.edges", "updateEdge")),
    "crd-check": CommandAnswers(("olmsolve.crdCheck",)),
    "where": CommandAnswers(("olmsolve.where",)),
}
"""The documents that each command writes as JSON; the others write catalogs, which are JSON of OLM's own form."""


def json_schema(name: str) -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) called *name*: a command, or a document such as ``olmsolve.resolution``.

    The schema of a command holds for everything that the command writes as JSON. ``olmsolve.request`` and
    ``olmsolve.v1.request`` are the documents that commands read.

    Raises:
        RequestError: there is no schema of this name. The error names the nearest.
    """
    must_be(name, "str", "name")
    definitions = _definitions()
    if name in COMMANDS:
        schema = _schema_of_command(name)
    elif name.startswith(_DOCUMENT) and name in definitions:
        schema = dict(definitions[name])
    else:
        raise _unknown(name)
    needed = _needed(schema, definitions)
    return {"$schema": DIALECT, "$id": f"{SITE}{schema_path(name)}", **schema, **({"$defs": needed} if needed else {})}


def schema_path(name: str) -> str:
    """Return the path of the schema *name* on the site of the documentation, which is the end of its ``$id``."""
    return f"reference/schemas/{name.replace(' ', '-')}.schema.json"


def json_schema_names() -> tuple[str, ...]:
    """Return the names of all schemas: the commands, then the documents by name."""
    return (*COMMANDS, *sorted(name for name in _definitions() if name.startswith(_DOCUMENT)))


def json_schema_title(name: str) -> str:
    """Return what the schema *name* is about, in a few words. Raises RequestError as :func:`json_schema` does."""
    return str(json_schema(name)["title"])


# The file of all definitions takes 13 ms to read, and `olmsolve schema` without a name lists what is in it.
@cache
def _definitions() -> Mapping[str, Mapping[str, Any]]:
    """Return all definitions by name."""
    file = resources.files("olmsolve.render").joinpath("schemas", "records.json")
    definitions: dict[str, Mapping[str, Any]] = json.loads(with_addresses(file.read_text("utf-8")))
    _describe_fields([*definitions.values()], definitions)
    return definitions


def _describe_fields(schema: object, definitions: Mapping[str, Any]) -> None:
    """Describe each field in *schema* that the file leaves to its name, or to the definition that it refers to."""
    if isinstance(schema, list):
        for part in schema:
            _describe_fields(part, definitions)
    elif isinstance(schema, dict):
        fields = schema.get("properties", {})
        for name, field in fields.items():
            if "const" in field:
                field.setdefault("description", _CONSTANTS.get(name, _KIND))
            elif "$ref" in field:
                referred = definitions[field["$ref"].removeprefix(_REFERENCE)]
                field.setdefault("description", referred.get("description") or f"{referred['title']}.")
        # A field may be called like a keyword, so fields are no schema themselves.
        inside = (value for keyword, value in schema.items() if keyword != "properties")
        _describe_fields([*fields.values(), *inside], definitions)


def _schema_of_command(name: str) -> dict[str, Any]:
    answers = COMMANDS[name]
    documents = list(dict.fromkeys((*answers.classic, *answers.v1)))
    alternatives = [_reference(document) for document in documents]
    if answers.each:
        alternatives += [_reference("error"), _each_answer(answers)]
    return {"title": f"What olmsolve {name} writes as JSON", "anyOf": alternatives}


def _each_answer(answers: CommandAnswers) -> dict[str, Any]:
    """Return the schema of a document with an answer for each question of a situation."""

    def by_name(documents: Iterable[str], description: str) -> dict[str, Any]:
        values = [_reference(document) for document in (*documents, "error")]
        return {"description": description, "type": "object", "additionalProperties": {"anyOf": values}}

    everything = dict.fromkeys((*answers.classic, *answers.v1))
    return {
        "title": "The answers to several questions",
        "type": "object",
        "required": ["schema", "schemaVersion", "namespaces", "extensions"],
        "additionalProperties": False,
        "properties": {
            "schema": {"description": _CONSTANTS["schema"], "const": "olmsolve.cluster"},
            "schemaVersion": {"description": _CONSTANTS["schemaVersion"], "const": 1},
            "namespaces": by_name(answers.classic, "The answer for each namespace with subscriptions."),
            "extensions": by_name(answers.v1, "The answer for each ClusterExtension."),
            "documents": by_name(everything, "The answer to each request document, where there are several."),
        },
    }


def _reference(name: str) -> dict[str, str]:
    return {"$ref": f"{_REFERENCE}{name}"}


def _needed(schema: Mapping[str, Any], definitions: Mapping[str, Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """Return the definitions that *schema* refers to, directly or through others, by name."""
    needed: set[str] = set()
    waiting: list[object] = [schema]
    while waiting:
        for name in _references(waiting.pop()):
            if name not in needed:
                needed.add(name)
                waiting.append(definitions[name])
    return {name: definitions[name] for name in sorted(needed)}


def _references(value: object) -> Iterator[str]:
    if isinstance(value, Mapping):
        reference = value.get("$ref")
        if isinstance(reference, str):
            yield reference.removeprefix(_REFERENCE)
        for part in value.values():
            yield from _references(part)
    elif isinstance(value, list):
        for part in value:
            yield from _references(part)


def _unknown(name: str) -> RequestError:
    import difflib

    names = json_schema_names()
    near = [candidate for candidate in names if candidate == f"{_DOCUMENT}{name}"] or difflib.get_close_matches(
        name, names, n=1
    )
    hint = (
        f"did you mean {near[0]}?"
        if near
        else for_reader(python="json_schema_names() has all", option="olmsolve schema --list has all")
    )
    return RequestError("there is no schema of this name", field=name, hint=hint)
