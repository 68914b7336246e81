"""The site as ./dev docs has built it, and shown by a browser without a window."""

from __future__ import annotations

import shutil
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "build/site"
sys.path.insert(0, str(ROOT / "docs/site"))


@pytest.fixture(scope="session")
def site() -> Path:
    if not (SITE / "search/search_index.json").exists():
        pytest.fail("there is no site in build/site: ./dev docs builds it")
    return SITE


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *arguments: Any) -> None:
        pass


@pytest.fixture(scope="session")
def address(site: Path) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(scope="session")
def drivers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[bool], Any]]:
    """A browser with JavaScript and one without, started when they are first asked for."""
    from selenium import webdriver

    made: dict[bool, Any] = {}

    def driver(scripts: bool) -> Any:
        if scripts in made:
            return made[scripts]
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium") or ""
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
            options.add_argument(argument)
        options.add_argument(f"--user-data-dir={tmp_path_factory.mktemp('browser')}")
        if not scripts:
            options.add_experimental_option("prefs", {"profile.managed_default_content_settings.javascript": 2})
        made[scripts] = webdriver.Chrome(options, webdriver.ChromeService(shutil.which("chromedriver")))
        return made[scripts]

    yield driver
    for each in made.values():
        each.quit()


@pytest.fixture
def browser(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """Gives a browser that has seen nothing yet: its width in pixels, and whether JavaScript is on."""
    if not (shutil.which("chromium") and shutil.which("chromedriver")):
        pytest.skip("there is no chromium with its chromedriver here; on Debian: apt install chromium chromium-driver")
    driver = request.getfixturevalue("drivers")

    def blank(width: int = 1300, *, scripts: bool = True) -> Any:
        given = driver(scripts)
        address = request.getfixturevalue("address")
        given.execute_cdp_cmd("Storage.clearDataForOrigin", {"origin": address.rstrip("/"), "storageTypes": "all"})
        given.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600},
        )
        return given

    return blank
