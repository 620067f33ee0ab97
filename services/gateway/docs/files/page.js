/** Runs in the browser, where it can before anything is painted: language of the samples, copying, and search. */

// A list that would stand above the page instead of beside it is folded.
if (matchMedia("(max-width: 60rem)").matches) document.getElementById("contents").open = false;
const parts = document.getElementById("parts");
if (parts && matchMedia("(max-width: 75rem)").matches) parts.open = false;

const groups = [...document.querySelectorAll(".samples")].map((samples) => {
  const sections = [...samples.querySelectorAll("[data-sample]")];
  const buttons = sections.map((section) => {
    section.querySelector("h3").remove();
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = section.dataset.sample;
    button.addEventListener("click", () => {
      localStorage.setItem("docs-language", button.textContent);
      choose(button.textContent);
    });
    return button;
  });
  const list = document.createElement("div");
  list.role = "group";
  list.ariaLabel = "Language";
  list.append(...buttons);
  samples.prepend(list);
  return { sections, buttons };
});

/** Shows the language in all groups that have it; the others go on showing theirs, at first the first. */
function choose(language) {
  for (const { sections, buttons } of groups) {
    const shown =
      sections.find(({ dataset }) => dataset.sample === language) ??
      sections.find(({ hidden }) => !hidden);
    for (const [at, section] of sections.entries()) {
      section.hidden = section !== shown;
      buttons[at].ariaPressed = String(section === shown);
    }
  }
}

choose(localStorage.getItem("docs-language"));

// Browsers have a clipboard on https and localhost only.
if (navigator.clipboard) {
  for (const block of document.querySelectorAll(".code")) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    button.addEventListener("click", () => {
      const copied = navigator.clipboard.writeText(block.querySelector("code").textContent);
      void copied.then(() => (button.textContent = "Copied"));
    });
    const firstLine = document.createElement("span");
    firstLine.style.width = `${block.textContent.split("\n", 1)[0].length}ch`;
    block.prepend(button, firstLine);
  }
}

// The current page is in view in the contents, which scroll on their own.
const contents = document.getElementById("contents").parentElement;
const current = contents.querySelector("[aria-current]");
if (current) contents.scrollTop = current.offsetTop - contents.clientHeight / 2;

const search = document.getElementById("search");
const found = document.getElementById("found");
let opening;

// A phone has no such keys.
if (matchMedia("(any-pointer: fine)").matches) search.placeholder = "Search (Ctrl-K)";

search.addEventListener("input", () => void showFound());

async function showFound() {
  opening ??= import("/docs/files/search.js").then(async ({ openSearch, ELSEWHERE }) => ({
    find: await openSearch(),
    elsewhere: ELSEWHERE,
  }));
  const opened = await opening.catch(() => undefined);
  // A failure is not kept: the next letter tries again.
  if (!opened) return void (opening = undefined);
  const results = opened.find(search.value);
  found.hidden = search.value.trim() === "";
  if (results.length > 0) found.replaceChildren(...results.map(linkTo));
  else found.replaceChildren("Nothing found. Look here:", ...opened.elsewhere.map(linkTo));
}

// A part that is not on this page, such as an unknown code: the search has what is like it.
// Unlike decodeURIComponent, this takes any end of an address.
const asked = new URLSearchParams(`part=${location.hash.slice(1)}`).get("part");
if (asked && !document.getElementById(asked)) {
  search.value = asked.replaceAll(/[-_]/g, " ");
  void showFound();
}

function linkTo({ title, url, excerpt = [] }) {
  const link = document.createElement("a");
  link.href = url;
  const text = document.createElement("small");
  text.append(...excerpt.map((part, at) => (at % 2 === 1 ? marked(part) : part)));
  link.append(title, text);
  return link;
}

function marked(text) {
  const mark = document.createElement("mark");
  mark.textContent = text;
  return mark;
}

search.parentElement.addEventListener("keydown", (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step || found.hidden) return;
  event.preventDefault();
  const places = [search, ...found.querySelectorAll("a")];
  places.at((places.indexOf(document.activeElement) + step) % places.length).focus();
});
search.addEventListener("keydown", ({ key }) => {
  if (key !== "Enter" || search.value.trim() === "") return;
  void showFound().then(() => found.querySelector("a")?.click());
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
