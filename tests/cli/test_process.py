"""The command line as a process: its streams, its signals, its help, and faults of its own.

Streams that no process is given are written to, and asked for colours, by the module behind the door.
"""

from __future__ import annotations

import io
import json
import os
import platform
import re
import shlex
import signal
import subprocess
import sys
import time
from importlib import metadata
from pathlib import Path

import pytest

import olmsolve as library
from olmsolve.cli import main, output
from tests.cli.commands import Run

EXAMPLES = Path(library.__file__).parent / "examples"
COMMAND = [sys.executable, "-m", "olmsolve"]
SMALL = b'{"namespaces": ["shop"], "catalogs": [], "subscriptions": []}'
"""A request that takes less time than the start of the process."""
SECONDS = 30


def test_the_module_runs_the_command_line() -> None:
    """``python -m olmsolve`` works where scripts are not on the path."""
    arguments = ["resolve", str(EXAMPLES / "install.yaml"), "--output", "json"]
    result = subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, check=True)
    assert json.loads(result.stdout)["installs"][0]["name"] == "storefront.v2.1.0"
    assert result.stderr == ""


@pytest.mark.parametrize("names", [[], ["cadical153"]], ids=["all", "one"])
def test_backends_are_listed_by_a_fresh_process(names: list[str]) -> None:
    """Modules that other tests have imported must not be what makes a command work."""
    result = subprocess.run([*COMMAND, "backends", *names], capture_output=True, text=True)
    assert (result.returncode, result.stderr) == (0, "")
    assert "cadical153" in result.stdout


def test_standard_input(tmp_path: Path) -> None:
    """A request from a pipe finds its catalogs from the working directory."""
    document = (EXAMPLES / "install.yaml").read_bytes()
    result = subprocess.run([*COMMAND, "resolve", "-"], input=document, cwd=EXAMPLES, capture_output=True)
    assert result.returncode == 0
    assert b"storefront.v2.1.0" in result.stdout


def test_a_closed_pipe_is_no_fault() -> None:
    """``olmsolve ... | head`` must end quietly, and with the code of neither answer."""
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write) as stdout:
        result = subprocess.run([*COMMAND, "resolve", "-"], input=SMALL, stdout=stdout, stderr=subprocess.PIPE)
    assert (result.returncode, result.stderr) == (141, b"")


@pytest.mark.parametrize("arguments", ["--help", "resolve --help", "help", "--version"])
def test_help_into_a_closed_pipe(arguments: str) -> None:
    """``olmsolve --help | head`` ends as quietly, also where Python writes at once."""
    read, write = os.pipe()
    os.close(read)
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with os.fdopen(write) as stdout:
        command = [*COMMAND, *arguments.split()]
        result = subprocess.run(command, stdout=stdout, stderr=subprocess.PIPE, env=environment)
    assert (result.returncode, result.stderr) == (141, b"")


@pytest.mark.skipif(sys.platform == "win32", reason="shells there close no streams")
def test_closed_streams() -> None:
    """Services close streams that they do not need; an answer that nobody can get is told where somebody may look."""
    program = f"{shlex.quote(sys.executable)} -m olmsolve"
    closed = subprocess.run(f"{program} --version >&-", shell=True, capture_output=True, text=True)  # noqa: S602
    message = "olmsolve: the output cannot be written: standard output is closed\n"
    assert (closed.returncode, closed.stderr) == (74, message)
    silent = subprocess.run(f"{program} resolve - <&- 2>&-", shell=True, capture_output=True, text=True)  # noqa: S602
    assert (silent.returncode, silent.stdout) == (2, "")


def test_arguments_cannot_command_the_terminal(olmsolve: Run) -> None:
    """Scripts pass on names that strangers gave."""
    for arguments in (["\x1b[2J"], ["--\x1b[2J"], ["resolve", "--\x1b[2J"], ["help", "\x1b[2J"]):
        outcome = olmsolve(*arguments)
        assert outcome.code == 2
        assert "\x1b" not in outcome.err


@pytest.mark.parametrize("arguments", ["--help", "help findings", "--version", "help channel-heads"])
def test_a_language_without_letters(arguments: str) -> None:
    """Containers often have no language set: the C locale, and ASCII alone."""
    environment = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    result = subprocess.run([*COMMAND, *arguments.split()], capture_output=True, env=environment)
    assert (result.returncode, result.stderr) == (0, b"")
    assert result.stdout.isascii()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device without room")
@pytest.mark.parametrize("output", ["text", "json"])
def test_a_full_disk_is_no_fault(output: str) -> None:
    """Whoever redirects to a full disk must hear of that, and not of a fault in olmsolve or of an answer."""
    arguments = ["resolve", "-", "--output", output]
    with open("/dev/full", "w") as stdout:  # noqa: PTH123 - a device
        result = subprocess.run([*COMMAND, *arguments], input=SMALL, stdout=stdout, stderr=subprocess.PIPE)
    assert result.returncode == 74
    assert result.stderr == b"olmsolve: the output cannot be written: No space left on device\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device without room")
@pytest.mark.parametrize("output", ["/dev/null", "/dev/full", ">&-"])
@pytest.mark.parametrize("arguments", ["resolve nowhere.yaml", "resolve --no-such-option", "no-such-command"])
def test_a_full_disk_for_messages_is_no_answer(output: str, arguments: str) -> None:
    """A log of errors on a full disk: the exit code of Python's own traceback is 1, which says "unsatisfiable"."""
    redirection = output if output == ">&-" else f"> {output}"
    line = f"{shlex.join([*COMMAND, *arguments.split()])} {redirection} 2> /dev/full"
    assert subprocess.run(["/bin/sh", "-c", line]).returncode == 74


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
def test_an_interrupt_ends_quietly() -> None:
    """Ctrl-C is no fault either: one line, and the exit code that shells expect."""
    process = subprocess.Popen(
        [*COMMAND, "resolve", "-"],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # Whoever runs the tests in the background may ignore the signal, and children inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert process.stdin is not None
    assert process.stderr is not None
    _wait_for_reader(process.stdin.fileno())
    # Python notices a signal at once only where it already waits for input, not on the way there.
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    try:
        assert process.wait(SECONDS) == 130
        assert process.stderr.read() == b"olmsolve: interrupted\n"
    finally:
        process.kill()
        process.wait()
        process.stdin.close()
        process.stderr.close()


_INTERRUPTED_WHILE: str = """
import atexit, os, signal, sys
moment = sys.argv.pop(1)

def interrupt():
    os.kill(os.getpid(), signal.SIGINT)

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == moment:
            interrupt()

sys.meta_path.insert(0, Finder())
if moment == "the end":
    atexit.register(interrupt)
from olmsolve.__main__ import program
sys.exit(program())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
@pytest.mark.parametrize(
    ("moment", "code", "stderr"),
    [
        ("olmsolve.cli", -signal.SIGINT, b""),
        ("olmsolve.cli.table", -signal.SIGINT, b""),
        ("olmsolve.cli.commands.schema", 130, b"olmsolve: interrupted\n"),
        ("the end", -signal.SIGINT, b""),
    ],
)
def test_an_interrupt_in_the_first_and_last_moments(moment: str, code: int, stderr: bytes) -> None:
    """Modules load for a tenth of a second, in which a traceback once was the answer to Ctrl-C."""
    result = subprocess.run(
        [sys.executable, "-c", _INTERRUPTED_WHILE, moment, "schema", "olmsolve.plan"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert (result.returncode, result.stderr) == (code, stderr)


def test_little_loads_before_interrupts_are_handled() -> None:
    """Each millisecond before is one in which Ctrl-C shows a traceback, and ``typing`` alone takes three."""
    folder = str(Path(library.__file__).parents[1])
    code = f"import sys; sys.path.insert(0, {folder!r}); import olmsolve.__main__; print(*sys.modules)"
    result = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True)
    loaded = set(result.stdout.split())
    own = {"olmsolve", "olmsolve.__main__", "olmsolve._lazy", "olmsolve._version"}
    assert {name for name in loaded if name.startswith("olmsolve")} == own
    assert not loaded & {"typing", "re", "contextlib", "inspect"}


# Text in the buffer of a file that nobody closes is written when the file is freed.
_PROGRAM: str = """
import atexit, sys
freed = open(2, "w", closefd=False)
freed.write("freed")
atexit.register(sys.stdout.write, "before the end")
{before}
from olmsolve.__main__ import program
sys.exit(program())
"""
_WATCHED: str = "sys.setprofile(slice)  # it takes the three arguments of a profiler"
_WITH_THREAD: str = "import threading; threading.Thread(target=threading.Event().wait, daemon=True).start()"


@pytest.mark.parametrize(
    ("before", "addition"), [("", ""), (_WATCHED, "freed"), (_WITH_THREAD, "freed")], ids=["", "profiler", "thread"]
)
@pytest.mark.parametrize(("arguments", "code"), [("schema olmsolve.plan", 0), ("--version", 0), ("schema none", 2)])
def test_the_process_ends_at_once(before: str, addition: str, arguments: str, code: int) -> None:
    """Nothing is freed one by one unless somebody may look; what waits for the end runs, and all output is written."""
    command = [sys.executable, "-c", _PROGRAM.format(before=before), *arguments.split()]
    result = subprocess.run(command, capture_output=True, text=True)
    usual = subprocess.run([*COMMAND, *arguments.split()], capture_output=True, text=True)
    assert (result.returncode, result.stdout) == (code, usual.stdout + "before the end")
    assert (usual.returncode, result.stderr) == (code, usual.stderr + addition)


_CALLER: str = """
import runpy, sys

def call():
    from olmsolve.__main__ import program
    return program()

def run():
    runpy.run_module("olmsolve", run_name="__main__")

try:
    {call}()
except SystemExit:
    pass
finally:
    print("the caller goes on")
"""


@pytest.mark.parametrize("call", ["call", "run"])
def test_a_caller_goes_on(call: str) -> None:
    """A program that runs the command as a function, or as a module, has work of its own to end."""
    command = [sys.executable, "-c", _CALLER.format(call=call), "--version"]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert result.stdout.splitlines()[-1] == "the caller goes on"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device without room")
def test_what_cannot_be_written_at_the_end_is_reported() -> None:
    """As by any program in Python: here it is the text of somebody else, after the command's own."""
    with open("/dev/full", "w") as stdout:  # noqa: PTH123 - a device
        command = [sys.executable, "-c", _PROGRAM.format(before=""), "schema", "none"]
        buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
        result = subprocess.run(command, stdout=stdout, stderr=subprocess.PIPE, text=True, env=buffered)
    assert result.returncode == 120
    assert "No space left on device" in result.stderr


def test_modules_that_are_loaded_without_others_are_whole() -> None:
    """Help has its headings, errors their numbers, and paths their URLs: what was left out is loaded when needed."""
    code = (
        "import atexit, sys\n"
        "def last():\n"
        "    import argparse, gettext, pathlib, urllib.parse\n"
        "    parser = argparse.ArgumentParser(exit_on_error=False)\n"
        "    parser.add_argument('--pair', nargs=2)\n"
        "    parser.add_argument('--one', nargs=1)\n"
        "    for option in ('--pair', '--one'):\n"
        "        try: parser.parse_args([option])\n"
        "        except argparse.ArgumentError as error: print(error)\n"
        "    print(pathlib.PurePosixPath('/a b').as_uri(), urllib.parse.quote('a b'), gettext.gettext('usage: '))\n"
        "atexit.register(last)\n"
        "from olmsolve.__main__ import program\n"
        "program()"
    )
    result = subprocess.run([sys.executable, "-c", code, "--help"], capture_output=True, text=True, check=True)
    assert result.stdout.startswith("usage: olmsolve")
    *_, pair, one, texts = result.stdout.splitlines()
    assert pair == "argument --pair: expected 2 arguments"
    assert one == "argument --one: expected 1 argument"
    assert texts == "file:///a%20b a%20b usage: "


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
def test_an_interrupt_that_is_ignored() -> None:
    """A shell starts jobs in the background so that Ctrl-C leaves them alone."""
    result = subprocess.run(
        [sys.executable, "-c", _INTERRUPTED_WHILE, "olmsolve.cli.table", "--version"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
    )
    assert (result.returncode, result.stderr) == (0, b"")


@pytest.mark.skipif(sys.platform == "win32", reason="shells there close no streams")
@pytest.mark.parametrize(
    "command", ["resolve -", "plan -", "explain - --output json", "validate -", "render - --timeout 5", "template -"]
)
def test_closed_input_is_named(command: str) -> None:
    """A service without an input reads nothing from it, and hears what was to be read."""
    program = f"{shlex.quote(sys.executable)} -m olmsolve {command} <&-"
    result = subprocess.run(program, shell=True, capture_output=True, text=True)  # noqa: S602
    assert result.returncode == (1 if command == "validate -" else 2)
    assert re.search(r"(<stdin>|standard input).*: cannot be read: it is closed", result.stdout + result.stderr)


def _wait_for_reader(pipe: int) -> None:
    """Fill *pipe* with blanks, and wait until the other side takes some: then the interpreter has started."""
    os.set_blocking(pipe, False)
    deadline = time.monotonic() + SECONDS
    full = False
    while time.monotonic() < deadline:
        try:
            os.write(pipe, b" " * 4096)
        except BlockingIOError:
            full = True
            time.sleep(0.01)
        else:
            if full:
                return
    raise AssertionError("nobody reads standard input")


def test_version(olmsolve: Run) -> None:
    """Reports of faults begin with it: olmsolve, Python, and every package that answers come from."""
    first, python, *packages = olmsolve("--version").out.splitlines()
    assert first == f"olmsolve {library.__version__}"
    assert python == f"{platform.python_implementation()} {platform.python_version()} on {sys.platform}"
    assert f"python-sat {metadata.version('python-sat')}" in packages
    assert all(re.fullmatch(r"[\w.-]+ (\d.*|is not installed)", line) for line in packages)


@pytest.mark.parametrize("arguments", [["--help"], ["resolve", "--help"]])
def test_help_has_examples(olmsolve: Run, arguments: list[str]) -> None:
    """People copy examples; descriptions of options they only look up."""
    outcome = olmsolve(*arguments)
    assert outcome.code == 0
    assert "  olmsolve resolve install.yaml\n" in outcome.out


def test_every_option_that_takes_text_has_an_example(olmsolve: Run) -> None:
    """Notations such as NAME=PATH[:PRIORITY] are understood from an example."""
    text = " ".join(olmsolve("resolve", "--help").out.split())
    for example in (
        "community=catalogs/community:10",
        "storefront@stable=",
        "keyring.v",
        "cadical153",
        "2.5",
        "html=answer.html",
        "olm/community=catalogs/community",
        "shop",
        "openshift-marketplace",
        "1.31.2",
        "4.18.0",
        "SingleOwnNamespaceInstallSupport=true",
    ):
        assert f"{example}" in text
    assert text.count("(example:") == 12


def test_no_command(olmsolve: Run) -> None:
    """Not knowing what to do is bad input."""
    outcome = olmsolve()
    assert outcome.code == 2
    assert "COMMAND" in outcome.err


def test_a_fault_of_ours_is_not_unsatisfiable(olmsolve: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """An uncaught exception would end with exit code 1, which scripts take for an answer."""

    def broken(*arguments: object, **settings: object) -> None:
        raise RuntimeError("oh no")

    monkeypatch.setattr(library, "resolve", broken)
    outcome = olmsolve("resolve", EXAMPLES / "install.yaml")
    assert outcome.code == 70
    assert "please report it: RuntimeError: oh no" in outcome.err
    assert "Traceback" not in outcome.err

    monkeypatch.setenv("OLMSOLVE_TRACEBACK", "1")
    with pytest.raises(RuntimeError, match="oh no"):
        main(["resolve", str(EXAMPLES / "install.yaml")])


def test_characters_that_the_stream_does_not_have() -> None:
    """A message in Japanese must not end a plan in the middle on a terminal of another language."""
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    output.write("größer \ud800", stream)
    stream.seek(0)
    assert stream.read() == "gr\\xf6\\xdfer \\ud800\n"


def test_messages_cannot_command_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    """Errors quote what stands in catalogs; their own line breaks stay."""
    output.complain("first\x1b[2J\n  second")
    assert capsys.readouterr().err == "olmsolve: first\\x1b[2J\n  second\n"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_colour_only_on_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file or a pipe gets plain text, and so does who asks for it."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    assert not output.style().colour
    monkeypatch.setattr(sys, "stdout", Terminal())
    assert output.style().colour
    monkeypatch.setenv("NO_COLOR", "1")
    assert not output.style().colour


def test_the_width_is_that_of_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Very wide terminals get lines that can still be read; a file does not depend on the window it came from."""
    for columns, width in (("60", 60), ("500", 120)):
        monkeypatch.setenv("COLUMNS", columns)
        monkeypatch.setattr(sys, "stdout", Terminal())
        assert output.style().width == width
        monkeypatch.setattr(sys, "stdout", io.StringIO())
        assert output.style().width == 100
