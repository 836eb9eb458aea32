"""A document's text changed from one value to another: only what differs is written anew.

Comments, order, quotes and indentation of everything else stay. New text looks like its neighbours: an element of a
list like the element before it, in block or flow style, with the same quotes and columns::

    entries:                       entries:
    - name: 'p.v1.0.0'  # first    - name: 'p.v1.0.0'  # first
                                   - name: 'p.v1.1.0'
                                     replaces: 'p.v1.0.0'

Comments on lines of their own stay, unless they are inside of what is removed.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Final, TypeAlias

from olmsolve._limits import checked, checked_if_long
from olmsolve._patterns import pattern
from olmsolve.authoring.in_place.positions import (
    TextList,
    TextMapping,
    TextNode,
    TextScalar,
    UnclearTextError,
    parse_document,
)
from olmsolve.catalog.fbc import YamlLayout, block_lines, flow_text

Replacement: TypeAlias = tuple[int, int, str]
"""The begin and end of the replaced text, in characters, and the new text."""

_QUOTES: Final = ("", "'", '"')
_LINE_END: Final = pattern(r"[^\n]*\n?")


def patched(text: str, old: Mapping[str, Any], new: Mapping[str, Any], *, is_json: bool) -> str:
    """Return the document *text*, which has the value *old*, with the value *new*.

    Raises:
        UnclearTextError: the text cannot be parsed well enough, or a change needs more than the known moves.
    """
    root = parse_document(text)
    patcher = _Patcher(text, root, is_json=is_json)
    patcher.change(root, old, new)
    # From the end on, so that positions before stay; of several at one position, the last comes last in the text.
    ordered = sorted(patcher.replacements, key=lambda replacement: replacement[:2])
    for begin, end, replacement in reversed(ordered):
        text = text[:begin] + replacement + text[end:]
    return text


def identity(value: Any) -> Any:
    """Return what identifies an element of a list: a name, a reference, or the value itself."""
    if isinstance(value, Mapping):
        reference = value.get("reference")
        if isinstance(reference, Mapping):
            return "reference", reference.get("schema") or "", reference.get("name") or ""
        if "name" in value:
            return "name", value["name"]
        return json.dumps(value, sort_keys=True)
    return "value", json.dumps(value, sort_keys=True)


class _Patcher:
    """The replacements for one document."""

    def __init__(self, text: str, root: TextNode, *, is_json: bool) -> None:
        self._text = text
        self._root = root
        self._is_json = is_json
        self._newline = "\r\n" if "\r\n" in text else "\n"
        self.replacements: list[Replacement] = []

    def change(self, node: TextNode, old: Any, new: Any) -> None:
        """Let the text of *node*, which has the value *old*, have the value *new*."""
        # 1 equals True and 1.0 for Python, and is written in another way.
        if old == new and type(old) is type(new):
            return
        if isinstance(node, TextMapping) and isinstance(old, dict) and isinstance(new, dict) and _keeps(node, old, new):
            self._change_mapping(node, old, new)
        elif isinstance(node, TextList) and isinstance(old, list) and isinstance(new, list) and node.elements and new:
            self._change_list(node, old, new)
        else:
            # A list below its key may begin in the key's column, where only dashes are allowed.
            lead = self._text[self._text.rfind("\n", 0, node.begin) + 1 : node.begin]
            indent = "  " if node.begin and not lead.strip() and not self._is_json else ""
            self._replace(node.begin, node.end, indent + self._on_one_line(new, self._layout_in(node)))

    def _change_mapping(self, node: TextMapping, old: Mapping[str, Any], new: Mapping[str, Any]) -> None:
        fields = {field.key: index for index, field in enumerate(node.fields)}
        if fields.keys() != old.keys():
            raise UnclearTextError("its fields are not written as they are read")
        spans = [(field.begin, field.value.end) for field in node.fields]
        gone = [fields[key] for key in old if key not in new]
        for key, index in fields.items():
            if key in new:
                self.change(node.fields[index].value, old[key], new[key])
        self._remove(spans, gone, is_flow=node.is_flow)
        before = -1
        for key, value in new.items():
            if key in fields:
                before = max(before, fields[key]) if fields[key] not in gone else before
            else:
                layout = self._layout_in(node)
                self._insert_field(node, max(before, 0), key, value, layout)

    def _change_list(self, node: TextList, old: Sequence[Any], new: Sequence[Any]) -> None:
        if len(node.elements) != len(old):
            raise UnclearTextError("its elements are not written as they are read")
        positions: dict[Any, list[int]] = {}
        # Reversed, so that pop() takes the first of equal elements.
        for index, value in checked(reversed(list(enumerate(old))), every=64):
            positions.setdefault(json.dumps(identity(value)), []).append(index)
        kept: list[int | None] = []
        for value in checked(new, every=64):
            same = positions.get(json.dumps(identity(value)))
            kept.append(same.pop() if same else None)
        staying = [index for index in kept if index is not None]
        stays = set(staying)
        if staying != sorted(staying):
            raise UnclearTextError("the elements of a list would change their order")
        if not staying and node.is_flow:
            self._replace_elements(node, new)
            return
        for index, value in checked(zip(kept, new, strict=True), every=64):
            if index is not None:
                self.change(node.elements[index], old[index], value)
        gone = [index for index in range(len(old)) if index not in stays]
        spans = [self._element_span(node, index) for index in checked(range(len(old)), every=64)]
        self._remove(spans, gone, is_flow=node.is_flow)
        before = -1
        for index, value in zip(kept, new, strict=True):
            if index is None:
                self._insert_element(node, before, value)
            else:
                before = index

    def _replace_elements(self, node: TextList, values: Sequence[Any]) -> None:
        """Let all elements of a list in flow style go, and put *values* in their place."""
        first, last = node.elements[0], node.elements[-1]
        lead = self._text[node.begin + 1 : first.begin]
        indent = lead.rpartition("\n")[2] if "\n" in lead else ""
        between = f",{lead or self._comma_space}"
        self._replace(first.begin, last.end, between.join(self._flow_like(first, value)(indent) for value in values))

    def _replace(self, begin: int, end: int, text: str) -> None:
        self.replacements.append((begin, end, text))

    # -- leaving out ------------------------------------------------------------------------------------------------

    def _element_span(self, node: TextList, index: int) -> tuple[int, int]:
        """Return from where to where an element reaches, with its dash in block style."""
        element = node.elements[index]
        if node.is_flow:
            return element.begin, element.end
        before = self._text[: element.begin].rstrip()
        if not before.endswith("-"):
            raise UnclearTextError("there is a comment between a dash and its element")
        return len(before) - 1, element.end

    def _remove(self, spans: Sequence[tuple[int, int]], gone: Sequence[int], *, is_flow: bool) -> None:
        """Leave out the elements or fields at *spans* whose numbers are in *gone*; at least one stays in flow style."""
        if is_flow:
            staying = [index for index in range(len(spans)) if index not in gone]
            for index in gone:
                # With the comma after it if an element that stays follows, otherwise with the comma before it.
                if any(line > index for line in staying):
                    self._replace(spans[index][0], spans[index + 1][0], "")
                else:
                    self._replace(spans[index - 1][1], spans[index][1], "")
            return
        for index in gone:
            begin, end = spans[index]
            start = self._text.rfind("\n", 0, begin) + 1
            if self._text[start:begin].strip():
                # The first field of an element follows its dash, where the next one takes its place.
                if index + 1 >= len(spans) or index + 1 in gone:
                    raise UnclearTextError("the fields after a dash would be removed")
                self._replace(begin, spans[index + 1][0], "")
                continue
            stop = self._behind(end, begin - start)
            blank = re.compile(r"[ \t]*\r?\n").match(self._text, stop)
            if blank and re.search(r"\n[ \t]*\r?\n\Z", self._text[:start]):
                stop = blank.end()
            self._replace(start, stop, "")

    def _behind(self, end: int, column: int) -> int:
        """Return the position after the line on which a value ends, at *end*, and after comments beyond *column*."""
        match = _LINE_END.match(self._text, end)
        position = match.end() if match else end
        deeper = re.compile(rf"[ ]{{{column + 1},}}#[^\n]*\n?")
        while (step := deeper.match(self._text, position)) is not None:
            position = step.end()
        return position

    # -- putting in -------------------------------------------------------------------------------------------------

    def _insert_field(self, node: TextMapping, before: int, key: str, value: Any, layout: YamlLayout) -> None:
        """Insert a field after the field numbered *before*."""
        field = node.fields[before]
        if node.is_flow:
            self._insert_in_flow(field.begin, field.value.end, lambda indent: self._flow_field(key, value, indent))
            return
        indent = " " * self._column(node.fields[0].begin)
        lines = list(block_lines({key: value}, indent, layout))
        self._insert_lines(field.value.end, len(indent), [f"{indent}{lines[0]}", *lines[1:]])

    def _insert_element(self, node: TextList, before: int, value: Any) -> None:
        """Insert an element after the one numbered *before*, or at the beginning for -1."""
        neighbour = node.elements[max(before, 0)]
        if node.is_flow:
            write = self._flow_like(neighbour, value)
            if before < 0:
                between = self._text[node.begin + 1 : neighbour.begin]
                indent = between.rpartition("\n")[2] if "\n" in between else ""
                self._replace(neighbour.begin, neighbour.begin, f"{write(indent)},{between or self._comma_space}")
            else:
                self._insert_in_flow(neighbour.begin, neighbour.end, write)
            return
        begin, end = self._element_span(node, max(before, 0))
        dash = " " * self._column(begin)
        behind = self._column(neighbour.begin) - len(dash)
        if isinstance(neighbour, (TextMapping, TextList)) and neighbour.is_flow:
            write = self._flow_like(neighbour, value)
            lines = [f"{dash}-{' ' * (behind - 1)}{write('')}"]
        else:
            layout = self._layout_in(neighbour)
            first, *others = block_lines(value, " " * (len(dash) + max(behind, 2)), layout)
            lines = [f"{dash}-{' ' * (max(behind, 2) - 1)}{first}", *others]
        if before < 0:
            start = self._text.rfind("\n", 0, begin) + 1
            self._replace(start, start, self._joined_lines(lines))
            return
        if before > 0 and "\n\n" in self._text[node.elements[before - 1].end : begin].replace("\r", ""):
            lines.insert(0, "")
        self._insert_lines(end, len(dash), lines)

    def _insert_lines(self, end: int, column: int, lines: Sequence[str]) -> None:
        """Insert *lines* after the lines of the value that ends at *end* and begins in *column*."""
        position = self._behind(end, column)
        missing = "" if position and self._text[position - 1] == "\n" else self._newline
        self._replace(position, position, missing + self._joined_lines(lines))

    def _joined_lines(self, lines: Sequence[str]) -> str:
        return "".join(f"{line}{self._newline}" for line in lines)

    def _insert_in_flow(self, begin: int, end: int, write: Any) -> None:
        """Insert the text of *write* after the element from *begin* to *end*: on a new line if that begins one."""
        start = self._text.rfind("\n", 0, begin) + 1
        lead = self._text[start:begin]
        if start and not lead.strip():
            self._replace(end, end, f",{self._newline}{lead}{write(lead)}")
        else:
            self._replace(end, end, f",{self._comma_space}{write('')}")

    @cached_property
    def _comma_space(self) -> str:
        """The blanks that this text has after commas on a line."""
        return " " if not self._is_json or re.search(r",[ ]", self._text) or "\n" in self._text.strip() else ""

    def _flow_field(self, key: str, value: Any, indent: str) -> str:
        if not self._is_json:
            return flow_text({key: value}, self._layout_in(self._root))[1:-1]
        return f"{json.dumps(key, ensure_ascii=False)}:{self._colon_space}{self._json(value, indent)}"

    @cached_property
    def _colon_space(self) -> str:
        """The blank that this text has after the names of fields."""
        return "" if re.search(r'"[^"\\]*":[^ \n]', self._text) else " "

    def _flow_like(self, neighbour: TextNode, value: Any) -> Any:
        """Return a function from an indentation to *value* as text like *neighbour*."""
        inner = self._text[neighbour.begin : neighbour.end]
        if not self._is_json:
            return lambda _: flow_text(value, self._layout_in(neighbour))
        if "\n" in inner or (isinstance(neighbour, TextScalar) and isinstance(value, (dict, list))):
            return lambda indent: self._json(value, indent)
        return lambda _: self._json(value, None)

    def _json(self, value: Any, indent: str | None) -> str:
        """Return *value* as JSON, over several lines that begin with *indent*; on one line for None or "" ."""
        text = self._text.strip()
        if not indent or "\n" not in text:
            separators = f",{self._comma_space}", f":{self._colon_space}"
            return json.dumps(value, ensure_ascii=False, separators=separators)
        step = re.search(r"\n([ \t]+)", text)
        made = json.dumps(value, ensure_ascii=False, indent=step[1] if step else 4)
        return made.replace("\n", f"{self._newline}{indent}")

    def _on_one_line(self, value: Any, layout: YamlLayout) -> str:
        return self._json(value, None) if self._is_json else flow_text(value, layout)

    # -- how the text is laid out -----------------------------------------------------------------------------------

    def _column(self, position: int) -> int:
        return position - (self._text.rfind("\n", 0, position) + 1)

    def _layout_in(self, node: TextNode) -> YamlLayout:
        """Return the layout of *node*: the quotes of most of its texts, and dashes where the document has them."""
        quote_counts = Counter(scalar.quote for scalar in _scalars(node) if scalar.quote in _QUOTES)
        quote = max(quote_counts, key=lambda mark: quote_counts[mark]) if quote_counts else ""
        dashes, in_doubt = self._usual_layout
        return YamlLayout(dashes, quote, in_doubt)

    @cached_property
    def _usual_layout(self) -> tuple[int, str]:
        """The number of columns that dashes stand right of their keys, and the quotes of most quoted texts."""
        # Each element that is put in needs them, and they take a look at the whole document.
        scalars = checked(_scalars(self._root), every=256)
        quote_counts = Counter(scalar.quote for scalar in scalars if scalar.quote in ("'", '"'))
        quote = max(quote_counts, key=lambda mark: quote_counts[mark]) if quote_counts else '"'
        return next(self._dash_columns(self._root), 0), quote

    def _dash_columns(self, node: TextNode) -> Iterator[int]:
        """Yield, for each list in block style below *node*, how many columns its dashes are right of its key."""
        if isinstance(node, TextMapping):
            for field in node.fields:
                if isinstance(field.value, TextList) and field.value.elements and not field.value.is_flow:
                    yield self._column(self._element_span(field.value, 0)[0]) - self._column(field.begin)
                yield from self._dash_columns(field.value)
        elif isinstance(node, TextList):
            for element in checked_if_long(node.elements):
                yield from self._dash_columns(element)


def _keeps(node: TextMapping, old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """Return whether the fields of *node* can change one by one: in flow style, one has to stay beside the commas."""
    return bool(node.fields and new) and not (node.is_flow and new.keys().isdisjoint(old))


def _scalars(node: TextNode) -> Iterator[TextScalar]:
    if isinstance(node, TextScalar):
        yield node
    elif isinstance(node, TextList):
        for element in node.elements:
            yield from _scalars(element)
    else:
        for field in node.fields:
            yield from _scalars(field.value)
