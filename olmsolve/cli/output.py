"""The output of a command: its exit code, its texts on standard output and standard error, and how far its work is.

Standard output and standard error are terminals or pipes, and may be the log of a pipeline.
"""

from __future__ import annotations

import enum
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Protocol, Self, TextIO

from olmsolve._limits import check

if TYPE_CHECKING:
    from olmsolve.errors import OlmsolveError
    from olmsolve.render import Style


class Exit(enum.IntEnum):
    """Exit codes: 0 to 3 answer the question; the others are Unix's (70 and 74 of sysexits.h, 128 + n for signal n)."""

    PLAN = 0
    UNSATISFIABLE = 1
    BAD_INPUT = 2
    OUT_OF_BUDGET = 3
    FAULT = 70
    UNWRITABLE = 74
    INTERRUPTED = 130
    BROKEN_PIPE = 141


MEANINGS: Final[Mapping[Exit, str]] = {
    Exit.PLAN: "the good answer: a plan, nothing found, done",
    Exit.UNSATISFIABLE: "the other answer: no plan, a finding, a difference",
    Exit.BAD_INPUT: "bad input: a catalog, a request, a dump or an argument; standard error names the position",
    Exit.OUT_OF_BUDGET: "no answer within --timeout, which standard error says",
    Exit.FAULT: "a fault of olmsolve itself",
    Exit.UNWRITABLE: "the output cannot be written: no room, or a disk that fails",
    Exit.INTERRUPTED: "interrupted",
    Exit.BROKEN_PIPE: "the reader of the output has gone",
}
"""The meaning of each code in every command; the help of a command says what its 0 and 1 stand for."""


def exit_of(error: OlmsolveError) -> Exit:
    """Return the exit code of a command that *error* ends: what cannot be resolved is no bad input."""
    # The errors are attrs classes, and help should not wait for attrs to load.
    from olmsolve.errors import Incomplete, NamespaceError
    from olmsolve.resolution import ResolutionFailure

    if isinstance(error, ResolutionFailure):
        return Exit.BAD_INPUT if error.is_bad_input else Exit.UNSATISFIABLE
    if isinstance(error, NamespaceError):
        return Exit.UNSATISFIABLE
    return Exit.OUT_OF_BUDGET if isinstance(error, Incomplete) else Exit.BAD_INPUT


# A file or a ticket has the same lines on every machine (docs/decisions.md, "one width for pipes").
_WIDTH_OF_PIPES: Final = 100
# Longer lines are hard to read, however wide the terminal is.
_WIDEST: Final = 120
_USUAL_COLUMNS: Final = 80
_IS_WINDOWS: Final = os.name == "nt"
# Pieces of JSON, and steps of writing YAML, between two looks at the limits: 10 to 20 ms.
_PIECES: Final = 8192
_STEPS: Final = 1024


class LaidOut(Protocol):
    """A text that is made for a width, in characters, and with or without colours."""

    def __call__(self, *, width: int, colour: bool) -> str: ...


def write(text: str, stream: TextIO | None = None, *, is_exact: bool = False) -> None:
    """Write *text* and a line end; characters that the stream's encoding lacks become escapes.

    No line becomes a command to the runner of a workflow, unless the text *is_exact*: such commands, or a diff.
    """
    stream = sys.stdout if stream is None else stream
    if not is_exact and _may_command(text):
        text = "\n".join(map(no_command, text.split("\n")))
    encoding = stream.encoding or "utf-8"
    stream.write(text.encode(encoding, "backslashreplace").decode(encoding) + "\n")


def write_data(data: dict[str, Any], form: str) -> None:
    """Write *data* to standard output in the *form* json or yaml."""
    if form == "json":
        write_json(data, indent=2)
    else:
        write(yaml_text(data))


def yaml_text(data: Any) -> str:
    """Return *data* as YAML without a line end, harmless to terminals and workflows."""
    import yaml

    class Dumper(yaml.SafeDumper):
        """Dumps with looks at the limits: PyYAML is written in Python, and takes 60 µs for a value."""

        _steps = 0

        def _step(self) -> None:
            self._steps += 1
            if not self._steps % _STEPS:
                check()

        def represent_data(self, data: Any) -> yaml.Node:
            self._step()
            return super().represent_data(data)

        def anchor_node(self, node: yaml.Node) -> None:
            self._step()
            super().anchor_node(node)

        def emit(self, event: yaml.Event) -> None:
            self._step()
            super().emit(event)

    def dump(**options: Any) -> str:
        return str(yaml.dump(data, Dumper=Dumper, sort_keys=False, **options))

    text = dump(allow_unicode=True)
    if not (_is_carried(text) and all(map(str.isprintable, text.split("\n")))):
        # YAML holds marks of direction as they are; only escaping every character beyond ASCII keeps them out.
        text = dump(allow_unicode=False)
    if _may_command(text):
        # In double quotes and on one line each, names begin no line, and their characters can be escaped.
        text = dump(allow_unicode=False, default_style='"', width=float("inf"))
        text = text.replace("##[", "#\\x23[")
    return text.rstrip("\n")


def write_json(data: Any, *, indent: int | None = None) -> None:
    """Write *data* to standard output as :func:`json_text`, in ASCII where the stream's encoding lacks a character."""
    text = json_text(data, indent=indent)
    write(text if _is_carried(text) else json_text(data, indent=indent, ascii_only=True))


def write_file(path: str, lines: Iterable[str], *, is_named: bool = True) -> None:
    """Write *lines* to the file at *path* in one step, as UTF-8. Raises RequestError where that is impossible.

    Without *is_named*, nobody has given the name, and a link there is replaced instead of followed.
    """
    from olmsolve._whole_files import write_whole
    from olmsolve.errors import RequestError  # an attrs class, and help should not wait for attrs to load

    try:
        write_whole(path, (line.encode() for line in lines), is_named=is_named)
    except OSError as error:
        raise RequestError(f"cannot be written: {error.strerror}", source=path) from None


def _is_carried(text: str) -> bool:
    """Return whether standard output can carry every character of *text*."""
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


def json_text(data: Any, *, indent: int | None = None, ascii_only: bool = False) -> str:
    """Return *data* as JSON text that is safe to look at; *indent* is in characters, None for a single line.

    Letters of all languages stay readable. Characters that a terminal obeys, or that turn the direction of text, become
    escapes, which every reader of JSON undoes: strangers write catalogs. Every stream can carry text that is
    *ascii_only*.

    >>> print(json_text({"name": "caf\u00e9 \u202e"}))
    {"name": "café \\u202e"}
    """
    import json

    encoder = json.JSONEncoder(indent=indent, ensure_ascii=ascii_only)
    # With an indent, the encoder is written in Python: a list of 90,000 bundles takes two seconds.
    text = encoder.encode(data) if indent is None else "".join(_checked(encoder.iterencode(data)))
    text = text.replace("##[", "#\\u0023[")
    # Line ends are between values only: json escapes the ones in strings.
    lines = _checked(text.split("\n"))
    return "\n".join(line if line.isprintable() else _printable_json(line) for line in lines)


def _checked(texts: Iterable[str]) -> Iterator[str]:
    """Yield *texts*, with looks at the limits between many: an answer of usual size is written, late or not.

    An answer found in time is written, even if the time was over before all that could stand beside it was found.
    """
    for number, text in enumerate(texts, start=1):
        if not number % _PIECES:
            check()
        yield text


def _printable_json(line: str) -> str:
    return "".join(character if character.isprintable() else _json_escape(character) for character in line)


def _json_escape(character: str) -> str:
    """Return the escapes of *character*, one for each of its units in UTF-16."""
    # JSON escapes units of UTF-16: U+1F600 is \ud83d\ude00.
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[start : start + 4]}" for start in range(0, len(units), 4))


def show(form: str, *, text: LaidOut, data: Callable[[], dict[str, Any]]) -> None:
    """Write an answer to standard output in *form*: json and yaml from *data*, the others as *text* lays it out.

    Only the wanted form is made::

        show(options.output, text=partial(render.plan_text, plan), data=plan.to_dict)
    """
    if form in ("json", "yaml"):
        write_data(data(), form)
    else:
        write(laid_out(text, form))


def laid_out(text: LaidOut, form: str) -> str:
    """Return *text* for standard output: in the *form* markdown as a block that keeps its columns, as wide as pipes."""
    if form == "markdown":
        return fenced(text(width=_WIDTH_OF_PIPES, colour=False))
    layout = style()
    return text(width=layout.width, colour=layout.colour)


def fenced(text: str) -> str:
    """Return *text* as a block of Markdown that shows it as it is, in a fence that *text* does not have.

    >>> print(fenced("5 bundles to install"))
    ```text
    5 bundles to install
    ```
    """
    fence = "```"
    while fence in text:  # strangers name bundles
        fence += "`"
    return f"{fence}text\n{text}\n{fence}"


def complain(message: str) -> None:
    """Write *message* to standard error, with everything escaped that a terminal would obey, but for line ends."""
    write(f"olmsolve: {harmless(message)}", sys.stderr)


def harmless(message: str) -> str:
    """Return *message* with everything escaped that a terminal or a workflow would obey, but for line ends."""
    from olmsolve.render import plain

    return "\n".join(map(no_command, map(plain, message.split("\n"))))


def _may_command(text: str) -> bool:
    return "::" in text or "##[" in text


def no_command(line: str) -> str:
    """Return *line* so that no runner of GitHub's workflows takes it for a command: strangers name bundles and files.

    A runner looks at both streams, for ``::`` after white space at the beginning of a line, and for ``##[`` anywhere.

    >>> print(no_command("  ::error::all is lost"), no_command("a ##[group] b"), no_command("a::b"), sep="\\n")
      \\x3a:error::all is lost
    a #\\x23[group] b
    a::b
    """
    begin = len(line) - len(line.lstrip())
    if line.startswith("::", begin):
        line = f"{line[:begin]}\\x3a{line[begin + 1 :]}"
    return line.replace("##[", "#\\x23[")


# No terminal has a thousand million columns, and int() refuses texts of more than 4,300 digits.
_MOST_DIGITS: Final = 10


def terminal_columns() -> int:
    """Return the columns of the terminal, 80 if there is none.

    shutil answers the same, and takes as long to load as argparse.
    """
    stated = os.environ.get("COLUMNS", "")
    if stated.isdecimal() and len(stated) < _MOST_DIGITS and int(stated):
        return int(stated)
    try:
        return os.get_terminal_size(sys.__stdout__.fileno()).columns or _USUAL_COLUMNS  # type: ignore[union-attr]
    except (AttributeError, ValueError, OSError):  # no standard output, or no terminal
        return _USUAL_COLUMNS


def style() -> Style:
    """Return how to lay out text on standard output: with colours and a width of its own only on a terminal."""
    from olmsolve.render import Style

    is_terminal = sys.stdout.isatty()
    width = min(terminal_columns(), _WIDEST) if is_terminal else _WIDTH_OF_PIPES
    colour = is_terminal and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
    return Style(width, colour and _obeys_colours())


def _obeys_colours() -> bool:
    """Return whether the terminal takes escapes for colours: Windows has to enable them, and may refuse."""
    if not _IS_WINDOWS:
        return True
    import ctypes

    output, obeys_escapes = -11, 0x0004
    # No other system has the name.
    mode, kernel = ctypes.c_uint32(), vars(ctypes)["windll"].kernel32
    handle = kernel.GetStdHandle(output)
    # A terminal without a mode belongs to another program, such as Git for Windows.
    return not kernel.GetConsoleMode(handle, ctypes.byref(mode)) or bool(
        kernel.SetConsoleMode(handle, mode.value | obeys_escapes)
    )


# Seconds of silence before a bar is worth its flicker, and seconds between two of its pictures.
_PATIENCE: Final = 0.5
_INTERVAL: Final = 0.1
# Seconds between two lines in a log, such as the log of a pipeline.
_LINES: Final = 10.0
# Widths in characters: no label pushes the bar out of a terminal of 80 columns.
_CELLS: Final = 30
_LABEL: Final = 30


class _Bar(Protocol):
    """A bar on a terminal, drawn anew by each ``show`` and erased by ``close``."""

    def show(self, label: str, done: int, total: int) -> None: ...

    def close(self) -> None: ...


class Progress:
    """A context in which a bar on *stream* shows how far the work called *verb* is; the bar is gone at its end.

    It appears only half a second after *since* (a time of *clock*, default: now): with rich where it is installed, as
    plain characters otherwise::

        with Progress(sys.stderr) as progress:
            catalog = olmsolve.load(path, progress=progress.reporter(path))

    With *lines*, a *stream* that is no terminal gets a line every ten seconds: the log of a pipeline shows that the
    work goes on.
    """

    def __init__(
        self,
        stream: TextIO,
        *,
        verb: str = "loading",
        since: float | None = None,
        clock: Callable[[], float] = time.monotonic,
        lines: bool = False,
    ) -> None:
        self._stream = stream
        self._verb = verb
        self._clock = clock
        self._lines = lines and not stream.isatty()
        self._next = (clock() if since is None else since) + (_LINES if self._lines else _PATIENCE)
        self._bar: _Bar | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.close()

    def reporter(self, label: str) -> Callable[[int, int], None] | None:
        """Return a function for a loader to call with the amounts done and in all, shown beside *label*.

        None where nothing is to be shown: a loader that need not report is faster.
        """
        if not self._lines and not self._stream.isatty():
            return None

        def report(done: int, total: int) -> None:
            now = self._clock()
            if now < self._next:
                return
            if self._lines:
                self._next = now + _LINES
                self._stream.write(f"{self._verb}: {done:,} of {total:,} {label}\n")
                self._stream.flush()
                return
            self._next = now + _INTERVAL
            if self._bar is None:
                self._bar = _bar(self._stream, self._verb)
            self._bar.show(label, done, total)

        return report


class _PlainBar:
    def __init__(self, stream: TextIO, verb: str) -> None:
        self._stream = stream
        self._verb = verb

    def show(self, label: str, done: int, total: int) -> None:
        share = min(done / total, 1.0) if total > 0 else 0.0
        filled = "#" * round(share * _CELLS)
        # Returning to the margin and erasing the line needs no knowledge of the terminal's width.
        self._stream.write(f"\r\x1b[K{self._verb} {label[-_LABEL:]} [{filled:<{_CELLS}}] {share:4.0%}")
        self._stream.flush()

    def close(self) -> None:
        self._stream.write("\r\x1b[K")
        self._stream.flush()


def _bar(stream: TextIO, verb: str) -> _Bar:
    try:
        return _rich_bar(stream, verb)
    except ImportError:
        return _PlainBar(stream, verb)


def _rich_bar(stream: TextIO, verb: str) -> _Bar:
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, TaskID, TaskProgressColumn, TextColumn
    from rich.progress import Progress as Rich

    class RichBar:
        def __init__(self) -> None:
            columns = TextColumn(f"{verb} {{task.description}}"), BarColumn(), TaskProgressColumn()
            self._rich = Rich(*columns, console=Console(file=stream), transient=True)
            self._tasks: dict[str, TaskID] = {}
            self._rich.start()

        def show(self, label: str, done: int, total: int) -> None:
            if label not in self._tasks:
                self._tasks[label] = self._rich.add_task(escape(label))
            self._rich.update(self._tasks[label], completed=done, total=total)

        def close(self) -> None:
            self._rich.stop()

    return RichBar()
