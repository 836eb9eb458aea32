"""What tests of pages share: one browser."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.browser import CHROMIUM, Browser, opened


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A headless Chromium; tests that ask for it skip where there is none."""
    if CHROMIUM is None:
        pytest.skip("needs Chromium")
    with opened(tmp_path_factory.mktemp("browser")) as opened_browser:
        yield opened_browser
