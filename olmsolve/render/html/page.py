"""The frame of every page: its style, its scripts, and a policy that keeps it from loading anything."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable
from functools import cache
from importlib import resources

from olmsolve.render.markup import Markup, element


def page(title: str, body: Iterable[str], *, styles: Iterable[str] = (), scripts: Iterable[str] = ()) -> str:
    """Return a whole document that ends with a line end.

    *styles* and *scripts* name files beside this module, without their suffix; the frame's own files come first. The
    content security policy has the digests of exactly these texts, so that no script in *body* can run.
    """
    style = "\n".join(_resource(f"{name}.css") for name in ("page", *styles))
    script = "\n".join(_resource(f"{name}.js") for name in ("page", *scripts))
    policy = f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'"
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("meta", name="generator", content="olmsolve"),
        element("title", title),
        element("style", Markup(style)),
    )
    theme = element("button", "Dark / light", class_="theme", type="button", data_action="theme", hidden=True)
    header = element("header", element("h1", title), theme)
    document = element("html", head, element("body", header, *body, element("script", Markup(script))), lang="en")
    return f"<!DOCTYPE html>\n{document}\n"


@cache
def _resource(name: str) -> str:
    return resources.files("olmsolve.render.html").joinpath(name).read_text("utf-8").strip()


def _digest(content: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}"
