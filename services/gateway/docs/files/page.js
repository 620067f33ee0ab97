/** Runs in the browser: language of the samples, copying, and search. */

const groups = [...document.querySelectorAll(".samples")].map(showInTabs);

/** Chooses a language in all groups that have it. */
function chooseEverywhere(label) {
  localStorage.setItem("docs-language", label);
  for (const choose of groups) choose(label);
}

function showInTabs(samples, group) {
  const sections = [...samples.querySelectorAll("[data-sample]")];
  const list = document.createElement("div");
  list.role = "tablist";
  list.ariaLabel = "Language";
  const choose = (label) => {
    if (!sections.some(({ dataset }) => dataset.sample === label)) return;
    for (const [index, section] of sections.entries()) {
      const isChosen = section.dataset.sample === label;
      section.hidden = !isChosen;
      list.children[index].ariaSelected = String(isChosen);
      list.children[index].tabIndex = isChosen ? 0 : -1;
    }
  };
  for (const [index, section] of sections.entries()) {
    const tab = document.createElement("button");
    tab.type = "button";
    tab.id = `tab-${group}-${index}`;
    tab.textContent = section.dataset.sample;
    tab.role = "tab";
    section.id = `sample-${group}-${index}`;
    section.role = "tabpanel";
    section.setAttribute("aria-labelledby", tab.id);
    tab.setAttribute("aria-controls", section.id);
    section.querySelector("h3").remove();
    tab.addEventListener("click", () => chooseEverywhere(tab.textContent));
    list.append(tab);
  }
  list.addEventListener("keydown", ({ key }) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
    if (!step) return;
    const tabs = [...list.children];
    const next = tabs.at((tabs.indexOf(document.activeElement) + step) % tabs.length);
    chooseEverywhere(next.textContent);
    next.focus();
  });
  samples.prepend(list);
  choose(sections[0].dataset.sample);
  choose(localStorage.getItem("docs-language"));
  return choose;
}

// Browsers have a clipboard on https and localhost only.
if (navigator.clipboard) {
  for (const block of document.querySelectorAll(".block")) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    button.addEventListener("click", () => {
      const copied = navigator.clipboard.writeText(block.querySelector("code").textContent);
      void copied.then(() => (button.textContent = "Copied"));
    });
    block.append(button);
  }
}

// The current page is in view in the contents, which scroll on their own.
const contents = document.getElementById("contents").parentElement;
const current = contents.querySelector("[aria-current]");
if (current) contents.scrollTop = current.offsetTop - contents.clientHeight / 2;

const search = document.getElementById("search");
const found = document.getElementById("found");
const MAX_FOUND = 12;
let opening;

/** A failure is not kept: the next letter tries again. */
async function openSearch() {
  try {
    const { openSearch: open } = await import("/docs/files/search.js");
    return await open();
  } catch {
    opening = undefined;
    return () => [];
  }
}

search.addEventListener("input", () => void showFound());

async function showFound() {
  opening ??= openSearch();
  const find = await opening;
  const links = find(search.value)
    .slice(0, MAX_FOUND)
    .map(({ title, url }) => {
      const link = document.createElement("a");
      link.href = url;
      link.textContent = title;
      return link;
    });
  found.hidden = search.value.trim() === "";
  found.replaceChildren(...(links.length > 0 ? links : ["Nothing found."]));
}

search.addEventListener("keydown", ({ key }) => {
  if (key === "Enter") found.querySelector("a")?.click();
});
found.addEventListener("click", () => (found.hidden = true));
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") found.hidden = true;
  const isTyping = event.target.closest("input");
  const isSlash = event.key === "/" && !isTyping;
  const isCommand = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k";
  if (!isSlash && !isCommand) return;
  event.preventDefault();
  search.select();
});
