// One language for all pages: chosen in the header, on the front page or by any tab, and kept where the theme keeps tabs.
const languages = ["Python", "C", "Swift"];

const chosen = () => (__md_get("__tabs") || []).find((tab) => languages.includes(tab));

const show = () => {
  const language = chosen();
  if (language) document.documentElement.dataset.code = language;
  else delete document.documentElement.dataset.code;
  for (const name of document.querySelectorAll(".code-chosen")) name.textContent = language || "Language";
  for (const link of document.querySelectorAll("[data-language]"))
    link.setAttribute("aria-current", String(link.dataset.language === language));
};

const choose = (language) => {
  __md_set("__tabs", [language, ...(__md_get("__tabs") || []).filter((tab) => tab !== language)]);
  for (const label of document.querySelectorAll(".tabbed-labels > label"))
    if (label.textContent.trim() === language) document.getElementById(label.htmlFor).checked = true;
  show();
};

// In the header, of the sections that are called as a language.
const sections = [...document.querySelectorAll(".md-tabs__link")].filter((link) => languages.includes(link.textContent.trim()));
const choice = document.createElement("div");
choice.className = "md-header__option";
choice.innerHTML = `<div class="md-select">
  <button class="md-header__button code-choice" aria-label="Programming language"><span class="code-chosen"></span> ▾</button>
  <div class="md-select__inner"><ul class="md-select__list"></ul></div></div>`;
for (const section of sections) {
  const link = Object.assign(document.createElement("a"), { className: "md-select__link", href: section.href });
  link.textContent = link.dataset.language = section.textContent.trim();
  const item = document.createElement("li");
  item.className = "md-select__item";
  item.append(link);
  choice.querySelector("ul").append(item);
}
document.querySelector("label[for=__search]").before(choice);

// On the front page a link that is called as a language chooses it.
for (const link of document.querySelectorAll(".md-typeset a"))
  if (languages.includes(link.textContent.trim())) link.dataset.language = link.textContent.trim();

for (const head of document.querySelectorAll(".md-typeset table thead tr")) {
  const titles = [...head.cells].map((cell) => cell.textContent.trim());
  if (languages.filter((language) => titles.includes(language)).length > 1)
    for (const row of head.closest("table").rows)
      [...row.cells].forEach((cell, index) => {
        if (languages.includes(titles[index])) cell.dataset.column = titles[index];
      });
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("[data-language]");
  if (link) {
    choose(link.dataset.language);
    // In the header it stays on a page that has what to choose from.
    if (link.matches(".md-select__link") && document.querySelector(".tabbed-set, [data-column]")) {
      event.preventDefault();
      document.activeElement.blur();
    }
    return;
  }
  // The theme keeps the tab a moment later.
  const label = event.target.closest(".tabbed-labels > label");
  if (label && languages.includes(label.textContent.trim())) choose(label.textContent.trim());
});

// Who reads the pages of one language and has chosen none, has it in the guide, too.
const section = sections.find((link) => link.closest(".md-tabs__item--active"));
if (section && !chosen()) choose(section.textContent.trim());
show();
