"""The site as a reader meets it: a language chosen once, search, a phone, and no JavaScript."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.support.wait import WebDriverWait

Browser = Callable[..., Any]


def shown(driver: Any) -> set[str]:
    """The languages of the blocks that are shown, of the tabs that have all three."""
    script = """return [...document.querySelectorAll('.tabbed-set')].map(set =>
        [...set.querySelectorAll('.tabbed-block')].findIndex(block => block.offsetParent) + ' ' +
        [...set.querySelectorAll('.tabbed-labels > label')].map(label => label.textContent.trim()).join(' '))"""
    found = set()
    for line in driver.execute_script(script):
        index, *labels = line.split(" ")
        if len(labels) == 3:
            found.add(labels[int(index)])
    return found


def columns(driver: Any) -> list[str]:
    heads = driver.find_elements(By.CSS_SELECTOR, "article table thead tr")
    return [cell.text for cell in heads[0].find_elements(By.TAG_NAME, "th") if cell.is_displayed()]


@pytest.mark.parametrize("language", ["Python", "C", "Swift"])
def test_a_language_chosen_on_the_front_page_is_that_of_every_page(
    browser: Browser, address: str, language: str
) -> None:
    driver = browser()
    driver.get(address)
    driver.find_element(By.CSS_SELECTOR, f'article a[data-language="{language}"]').click()
    driver.get(address + "selecting/")
    assert shown(driver) == {language}
    driver.get(address + "expressions/")
    assert columns(driver) == ["SQL", language]
    assert driver.find_element(By.CSS_SELECTOR, ".code-chosen").text == language


def test_a_tab_chooses_for_the_pages_that_follow(browser: Browser, address: str) -> None:
    driver = browser()
    driver.get(address + "selecting/")
    assert shown(driver) == {"Python"}
    driver.get(address + "expressions/")
    assert columns(driver) == ["SQL", "C", "Python", "Swift"]
    driver.get(address + "selecting/")
    driver.find_elements(By.CSS_SELECTOR, ".tabbed-labels > label")[2].click()
    driver.get(address + "results/")
    assert shown(driver) == {"Swift"}
    driver.get(address + "expressions/")
    assert columns(driver) == ["SQL", "Swift"]


def test_who_comes_by_the_pages_of_a_language_has_it_in_the_guide(browser: Browser, address: str) -> None:
    driver = browser()
    driver.get(address + "c/tutorial/")
    driver.get(address + "selecting/")
    assert shown(driver) == {"C"}
    driver.get(address + "swift/")
    driver.get(address + "selecting/")
    assert shown(driver) == {"C"}


def test_the_header_changes_the_language_where_one_reads(browser: Browser, address: str) -> None:
    driver = browser()
    driver.get(address + "selecting/")
    driver.execute_script("document.querySelector('.md-select__link[data-language=C]').click()")
    assert driver.current_url == address + "selecting/"
    assert shown(driver) == {"C"}


def test_search_leads_to_symbols(browser: Browser, address: str) -> None:
    driver = browser()
    driver.get(address + "?q=corm_record_insert")
    WebDriverWait(driver, 20).until(lambda driver: driver.find_elements(By.CSS_SELECTOR, ".md-search-result__link"))
    places = [link.get_attribute("href") for link in driver.find_elements(By.CSS_SELECTOR, ".md-search-result__link")]
    assert any("c/reference/record/" in place for place in places)


def test_the_reference_of_swift_shows_itself(browser: Browser, address: str) -> None:
    driver = browser()
    driver.get(address + "swift/reference/documentation/cormorant/database/")
    WebDriverWait(driver, 20).until(lambda driver: driver.find_elements(By.CSS_SELECTOR, "h1"))
    assert "Database" in driver.find_element(By.CSS_SELECTOR, "h1").text


@pytest.mark.parametrize(
    "page", ["", "selecting/", "expressions/", "c/reference/query/", "python/reference/databases/"]
)
def test_a_page_is_as_wide_as_a_phone(browser: Browser, address: str, page: str) -> None:
    driver = browser(390)
    driver.get(address + page)
    assert driver.execute_script("return document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("page", ["c/tutorial/", "swift/chinook/", "python/cookbook/", "c/reference/query/"])
def test_code_of_120_columns_is_seen_whole_in_a_wide_window(browser: Browser, address: str, page: str) -> None:
    driver = browser(1920)
    driver.get(address + page)
    script = """return [...document.querySelectorAll('article pre > code')]
        .filter(code => code.offsetParent && code.scrollWidth > code.clientWidth && !/.{121}/.test(code.textContent))
        .map(code => code.textContent)"""
    assert driver.execute_script(script) == []


def test_a_phone_shows_names_in_tables_whole(browser: Browser, address: str) -> None:
    driver = browser(390)
    driver.get(address + "c/coming-from-sqlite3/")
    script = """return [...document.querySelectorAll('article td code')].filter(code =>
        /^\\w+$/.test(code.textContent) && code.getClientRects().length > 1).map(code => code.textContent)"""
    assert driver.execute_script(script) == []
    assert driver.execute_script("return document.documentElement.scrollWidth") <= 390


def test_a_phone_shows_the_title(browser: Browser, address: str) -> None:
    driver = browser(390)
    driver.get(address)
    title = driver.find_element(By.CSS_SELECTOR, ".md-header__topic > .md-ellipsis")
    assert title.get_property("scrollWidth") <= title.get_property("clientWidth")


def test_the_reference_of_swift_leads_back(browser: Browser, address: str) -> None:
    driver = browser()
    driver.get(address + "swift/reference/documentation/cormorant/database/")
    WebDriverWait(driver, 20).until(lambda driver: driver.find_elements(By.CSS_SELECTOR, "custom-header"))
    head = driver.find_element(By.CSS_SELECTOR, "custom-header").shadow_root
    head.find_element(By.CSS_SELECTOR, 'a[href="/swift/"]').click()
    assert driver.current_url == address + "swift/"


def test_without_javascript_every_language_can_be_read(browser: Browser, address: str) -> None:
    driver = browser(scripts=False)
    driver.get(address + "selecting/")
    labels = driver.find_elements(By.CSS_SELECTOR, ".tabbed-labels > label")
    blocks = driver.find_elements(By.CSS_SELECTOR, ".tabbed-set:first-of-type .tabbed-block")
    labels[1].click()
    assert [block.is_displayed() for block in blocks[:3]] == [False, True, False]
    assert driver.find_elements(By.CSS_SELECTOR, 'a[href="../python/"]')
