"""Pages about JSON: a page for each document that olmsolve writes or reads, and its schema as a file beside it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from olmsolve.render import json_schema, json_schema_names
from olmsolve.render.json_schemas import schema_path as schema_path
from website.markdown import anchor_of, anchored, code, page, plain, table

FOLDER: Final = "reference/schemas"
"""The folder of the pages, below docs/."""

Schema = Mapping[str, Any]
_DOCUMENT: Final = "olmsolve."
_REFERENCE: Final = "#/$defs/"
_REQUESTS: Final = ("olmsolve.request", "olmsolve.v1.request")


def pages() -> Iterator[tuple[str, str]]:
    """Yield the path and the text of each page and of each schema."""
    schemas = {name: json_schema(name) for name in json_schema_names()}
    parts: dict[str, Schema] = {}
    for schema in schemas.values():
        parts.update(schema.get("$defs", {}))
    parts = {name: parts[name] for name in sorted(parts) if name not in schemas}
    yield f"{FOLDER}/index.md", _index(schemas)
    yield f"{FOLDER}/parts.md", _parts(parts)
    for name, schema in schemas.items():
        yield schema_path(name), json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
        if name.startswith(_DOCUMENT):
            yield page_path(name), _document(name, schema, _writers(name, schemas))


def page_path(name: str) -> str:
    """Return the path, below docs/, of the page of the document *name*."""
    return f"{FOLDER}/{name}.md"


def _writers(document: str, schemas: Mapping[str, Schema]) -> list[str]:
    """Return the commands that write the *document*."""
    return [name for name, schema in schemas.items() if {"$ref": f"{_REFERENCE}{document}"} in schema.get("anyOf", ())]


def _index(schemas: Mapping[str, Schema]) -> str:
    commands = []
    for name, schema in schemas.items():
        if not name.startswith(_DOCUMENT):
            answers = [_linked(each["$ref"].removeprefix(_REFERENCE)) for each in schema["anyOf"] if "$ref" in each]
            command = f"[{code(name)}](../commands/olmsolve-{name.partition(' ')[0]}.md)"
            commands.append((command, ", ".join(answers), _download(name)))
    documents = [
        (_linked(name), plain(str(schema["title"])), _download(name))
        for name, schema in schemas.items()
        if name.startswith(_DOCUMENT)
    ]
    return page(
        "JSON documents",
        "Every document that olmsolve writes or reads as JSON has a schema (draft 2020-12), which"
        " `olmsolve schema NAME` prints, too. [Documents](../../documents.md) tells what the fields mean, and how"
        " documents change from version to version.",
        "## Documents",
        table(("document", "what it is", "schema"), documents),
        "## What commands write",
        "With `--output json`. The others write catalogs, in OLM's own form.",
        table(("command", "documents", "schema"), commands),
    )


def _download(name: str) -> str:
    return f"[schema]({schema_path(name).removeprefix(f'{FOLDER}/')})"


def _document(name: str, schema: Schema, commands: list[str]) -> str:
    linked = ", ".join(f"[`olmsolve {each}`](../commands/olmsolve-{each.partition(' ')[0]}.md)" for each in commands)
    use = "A document that commands read." if name in _REQUESTS and not linked else f"Written by {linked}."
    if name in _REQUESTS and linked:
        use = f"A document that commands read, and that {linked} writes."
    return page(
        code(name),
        f"{plain(str(schema['title']))}. {use if linked or name in _REQUESTS else ''}".strip(),
        plain(str(schema.get("description", ""))),
        *_body(schema, anchor=""),
        f"The whole schema: {_download(name)}. [Parts of several documents](parts.md) have a page of their own.",
    )


def _parts(parts: Mapping[str, Schema]) -> str:
    sections = []
    for name, schema in parts.items():
        sections += [f"## {name} {{ #{name} }}", plain(str(schema.get("description", ""))), *_body(schema, anchor=name)]
    return page("Parts of documents", "What several documents have in common, by name.", *sections)


def _body(schema: Schema, anchor: str) -> list[str]:
    """Return what *schema* says: a table of fields, or a list of alternatives with their tables."""
    parts = [_fields(schema, anchor)] if schema.get("properties") else []
    alternatives = [each for keyword in ("anyOf", "oneOf") for each in schema.get(keyword, ())]
    if not parts and not alternatives:
        return [f"The value: {_type(schema)}."]
    simple = [each for each in alternatives if not each.get("properties")]
    if simple and not parts:
        parts.append("One of: " + ", ".join(map(_type, simple)) + ".")
    for number, each in enumerate((each for each in alternatives if each.get("properties") and "type" in each), 1):
        title = next((code(value) for value in _kinds(each)), f"Form {number}")
        own = anchor_of(anchor or "form", str(number))
        parts += [f"### {title} {{ #{own} }}", plain(str(each.get("description", ""))), _fields(each, own)]
    if "additionalProperties" in schema and isinstance(schema["additionalProperties"], Mapping) and not parts:
        parts.append(f"An object by name, whose values are: {_type(schema['additionalProperties'])}.")
    return parts


def _kinds(schema: Schema) -> Iterator[str]:
    """Yield the constants that tell one alternative from the others."""
    for name in ("kind", "schema"):
        value = schema["properties"].get(name, {}).get("const")
        if value is not None:
            yield str(value)


def _fields(schema: Schema, anchor: str) -> str:
    rows = [
        (anchored(path, anchor_of(*filter(None, (anchor, path)))), _type(field), "yes" if needed else "", meaning)
        for path, field, needed, meaning in _walked(schema, "")
    ]
    return table(("field", "value", "always", "meaning"), rows)


def _walked(schema: Schema, before: str) -> Iterator[tuple[str, Schema, bool, str]]:
    """Yield each field of an object, and the fields of objects inside, by their paths: ``replaced[].by``."""
    for name, field in schema["properties"].items():
        path = f"{before}{name}"
        yield path, field, name in schema.get("required", ()), plain(str(field.get("description", "")))
        for inner, ending in _inside(field):
            yield from _walked(inner, f"{path}{ending}.")


def _inside(field: Schema) -> Iterator[tuple[Schema, str]]:
    """Yield the objects that *field* holds without a name of their own, with what their paths go on with."""
    if field.get("properties"):
        yield field, ""
    for keyword, ending in (("items", "[]"), ("additionalProperties", ".NAME")):
        if isinstance(field.get(keyword), Mapping):
            for inner, more in _inside(field[keyword]):
                yield inner, f"{ending}{more}"


def _type(schema: Schema) -> str:
    """Return what a value may be, in a few words with links."""
    for keyword, said in _SAID.items():
        if keyword in schema:
            return said(schema[keyword])
    types = schema.get("type", "any value")
    found = [_named(schema, each) for each in ([types] if isinstance(types, str) else types)]
    return " or ".join(found)


def _named(schema: Schema, type_name: str) -> str:
    items, values = schema.get("items"), schema.get("additionalProperties")
    if type_name == "array" and isinstance(items, Mapping):
        return f"list of {_type(items)}"
    if type_name == "object" and isinstance(values, Mapping) and "properties" not in schema:
        return f"object by name: {_type(values)}"
    return {"array": "list", "string": "text", "null": "`null`"}.get(type_name, type_name)


def _linked(name: str) -> str:
    """Return a link to the document or the part *name*, which holds on every page of the folder."""
    return f"[{code(name)}]({name}.md)" if name.startswith(_DOCUMENT) else f"[{code(name)}](parts.md#{name})"


def _one_of(values: list[Schema]) -> str:
    return " or ".join(dict.fromkeys(map(_type, values)))


_SAID: Final[Mapping[str, Callable[[Any], str]]] = {
    "$ref": lambda value: _linked(value.removeprefix(_REFERENCE)),
    "const": lambda value: code(json.dumps(value)),
    "enum": lambda values: ", ".join(code(json.dumps(each)) for each in values),
    "anyOf": _one_of,
}
