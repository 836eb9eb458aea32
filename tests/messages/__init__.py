"""The messages that the code can raise or print, found in its syntax trees, and which of them the suite produces.

A *message* is a string of at least two words in the body of a function: an argument of an error, a sentence that is
printed, or a part of one. Not counted are docstrings, help texts (``tests/cli/test_help_texts.py`` reads them), what
assertions say, and code in strings: SQL, markup, patterns. A constant of a module that is one sentence is a message
where a function reads its name. Other sentences in tables are evaluated as the module loads, so that nobody can tell
who used them: they are looked up in the texts of the tests (``test_tables.py``).

Each run of the suite notes the messages that are evaluated (``noting.py``), and a whole run fails where one was not
(``watching.py``). ``unproduced.txt`` has the few that no test can produce, each with the reason.
``OLMSOLVE_MESSAGES=olmsolve/cli pytest tests/cli`` prints what these tests do not produce of that part of the package.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).parents[2]
SOURCE: Final = ROOT / "olmsolve"
LEDGER: Final = Path(__file__).parent / "unproduced.txt"

_WORDS: Final = re.compile(r"[A-Za-z]{2,}[,:;)]? \(?[a-z]{1,}\b")
_FIELD: Final = re.compile(r"\{[^{}]*\}")
_CODE: Final = re.compile(
    r"[{}]|<[/a-z]|\b(classDef|application/|SELECT|PRAGMA|ATTACH|INSERT)\b|\w\[\w+,|\bdef \w+\(|=>"
    r"|^\s*[.#@:]\w+[ ,]|\n.*\n.*\n",
    re.DOTALL,
)
# Names of doors and modules, one behind the other.
_NAMES: Final = re.compile(r"\s*\w+\.[\w.]+(\s+\w+\.[\w.]+)*\s*")
# Functions whose texts are help, or no text for people.
_HELP: Final = frozenset(
    {
        "ContextVar",
        "add_argument",
        "add_argument_group",
        "add_parser",
        "add_subparsers",
        "addini",
        "addoption",
        "compile",
        "documented",
        "field",
        "fullmatch",
        "sub",
    }
)


class Message(NamedTuple):
    """The *text* of a message, ``{}`` where something is filled in, in *module* (a path below the repository).

    *position* is the line and column of the string, *in_table* whether the module evaluates it as it loads.
    """

    module: str
    position: tuple[int, int]
    text: str
    in_table: bool

    @property
    def key(self) -> str:
        """The module and the text: lines move, and a text that occurs twice in a module is one message."""
        return f"{self.module}: {self.text}"


def text_of(node: ast.Constant | ast.JoinedStr) -> str:
    """Return the text of a string, ``{}`` for each part that is filled in."""
    parts = [node] if isinstance(node, ast.Constant) else node.values
    return "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in parts)


def is_message(text: str) -> bool:
    """Return whether *text* is meant for people: words, and no code."""
    plain = _FIELD.sub("0", text)
    if _NAMES.fullmatch(plain):
        return False
    return bool(_WORDS.search(plain)) and not _CODE.search(plain)


def strings_of(tree: ast.Module) -> Iterator[tuple[ast.Constant | ast.JoinedStr, bool]]:
    """Yield the strings of *tree* that are messages, each with whether it is evaluated as the module loads."""
    named = {id(node) for node in constants_of(tree).values()}
    waiting: list[tuple[ast.AST, bool]] = [(tree, True)]
    while waiting:
        node, in_table = waiting.pop()
        if isinstance(node, (ast.Constant, ast.JoinedStr)):
            if (isinstance(node, ast.JoinedStr) or isinstance(node.value, str)) and is_message(text_of(node)):
                yield node, in_table and id(node) not in named
            if isinstance(node, ast.Constant):
                continue
            # What is filled in may have messages of its own.
            waiting += [(part.value, in_table) for part in node.values if isinstance(part, ast.FormattedValue)]
            continue
        waiting += [(child, in_table or False) if not _is_body(node) else (child, False) for child in _children(node)]


def constants_of(tree: ast.Module) -> dict[str, ast.Constant]:
    """Return the constants of the module that are one sentence each and are read in its functions, by their names."""
    constants: dict[str, ast.Constant] = {}
    for node in tree.body:
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        value = getattr(node, "value", None)
        if not (isinstance(target, ast.Name) and isinstance(value, ast.Constant) and isinstance(value.value, str)):
            continue
        if is_message(value.value) and not _is_help_text(node):
            constants[target.id] = value
    bodies = (body for body in ast.walk(tree) if _is_body(body))
    read = {name.id for body in bodies for name in ast.walk(body) if isinstance(name, ast.Name)} if constants else set()
    return {name: value for name, value in constants.items() if name in read}


def _is_body(node: ast.AST) -> bool:
    return isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))


def _children(node: ast.AST) -> Sequence[ast.AST]:
    """Return the parts of *node* that may hold messages: no docstrings, annotations, assertions, or help."""
    if isinstance(node, (ast.Assert, ast.arguments, ast.Import, ast.ImportFrom, ast.MatchValue)):
        return []
    if isinstance(node, ast.AnnAssign):
        return [] if node.value is None else [node.value]
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return _without_docstring(node.body)
    if isinstance(node, ast.Module):
        return [statement for statement in _without_docstring(node.body) if not _is_help_text(statement)]
    if isinstance(node, ast.ClassDef):
        return _without_docstring(node.body)
    if isinstance(node, ast.Call) and _name(node.func) in _HELP:
        return []
    if isinstance(node, ast.Dict):
        # The descriptions in JSON Schemas are help, too.
        pairs = zip(node.keys, node.values, strict=True)
        return [value for key, value in pairs if not (isinstance(key, ast.Constant) and key.value == "description")]
    return list(ast.iter_child_nodes(node))


def _without_docstring(body: Sequence[ast.stmt]) -> list[ast.AST]:
    """Return *body* without expressions that are strings alone: docstrings, of the object and of attributes."""
    return [
        statement
        for statement in body
        if not (
            isinstance(statement, ast.Expr)
            and isinstance(statement.value, ast.Constant)
            and isinstance(statement.value.value, str)
        )
    ]


def _is_help_text(node: ast.AST) -> bool:
    """Return whether *node* sets DESCRIPTION or EXAMPLES, the help text of a command, or PUBLIC, a list of names."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return any(
        (isinstance(target, ast.Name) and ("DESCRIPTION" in target.id or target.id == "PUBLIC"))
        or _name(target).endswith("EXAMPLES")
        for target in targets
    )


def _name(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def message_of(node: ast.Constant | ast.JoinedStr, path: Path, in_table: bool) -> Message:
    """Return the string *node* of the module at *path* as a message."""
    return Message(path.relative_to(ROOT).as_posix(), (node.lineno, node.col_offset), text_of(node), in_table)


def ledger_of(text: str) -> dict[str, str]:
    """Return the messages of the ledger, by their texts as Python writes them, each with the reason behind it."""
    entries = (line.rpartition("  # ") for line in text.splitlines() if line and not line.startswith("#"))
    return {ast.literal_eval(message): reason for message, _, reason in entries}
