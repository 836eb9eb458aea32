"""The pictures of README.md are what its commands print."""

from __future__ import annotations

import os
import re
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest

from olmsolve.cli import main
from tests.pictures.terminals import IMAGES, PICTURES, drawn, pictures, shown


def test_the_pictures_are_what_is_printed() -> None:
    """A picture that is made once is soon a lie. UPDATE_SNAPSHOTS=1 draws them anew."""
    for name, text in pictures():
        if "UPDATE_SNAPSHOTS" in os.environ:
            (IMAGES / name).write_text(text, "utf-8")
        assert (IMAGES / name).read_text("utf-8") == text


def test_the_readme_has_them() -> None:
    """With words for those who cannot see them."""
    readme = (IMAGES.parents[1] / "README.md").read_text("utf-8")
    for name in PICTURES:
        assert re.search(rf"!\[[^\]]{{20,}}\]\(docs/images/{re.escape(name)}\)", readme)


def test_the_front_page_shows_what_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What OLM writes is in the example, and what olmsolve answers is printed: but for lines of three dots."""
    monkeypatch.chdir(tmp_path)
    main(["demo", "--write", "demo"])
    page = (IMAGES.parent / "index.md").read_text("utf-8")
    request_text, answered = re.findall(r"```text\n(.*?)\n```", page, re.DOTALL)
    document_text = " ".join((tmp_path / "demo/conflict.yaml").read_text("utf-8").split())
    assert request_text.removesuffix(", ...") in document_text
    printed = re.sub(r"\x1b\[[0-9;]*m", "", shown("olmsolve explain --cluster demo/conflict.yaml", columns=400))
    command, *rest = answered.splitlines()
    assert command == "$ kubectl get catsrc,og,sub,ip,csv -A -o yaml | olmsolve explain --cluster -"
    # Lines break elsewhere in a terminal, and there they have more branches in front of them.
    words = " ".join(re.sub("[│├└─]", " ", printed).split())
    parts = [" ".join(re.sub("[│├└─]", " ", part).split()) for part in "\n".join(rest).split("...")]
    assert [part for part in parts if part not in words] == []


def test_every_letter_is_at_its_column() -> None:
    """Tables and trees need it, and fonts differ: each text says where it begins and how wide it is."""
    picture = Xml.fromstring(drawn("\x1b[1ma <b>\x1b[0m  c\n  \x1b[32md\x1b[0m", "A title & more"))  # noqa: S314 - ours
    texts = picture.findall("{http://www.w3.org/2000/svg}text")
    positions = [(text.text, text.get("x"), text.get("textLength"), text.get("class")) for text in texts]
    assert positions == [("a <b>", "16", "42", "bold"), ("c", "74.8", "8.4", None), ("d", "32.8", "8.4", "green")]


def test_a_terminal_is_asked_for_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the terminal of the tests is, which stays as it was."""
    monkeypatch.setenv("NO_COLOR", "1")
    before = dict(os.environ)
    assert "\x1b[" in shown("olmsolve backends deciding").partition("\n")[2]
    assert dict(os.environ) == before
