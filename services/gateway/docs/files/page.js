/** Runs in the browser: theme, language of the samples, search, and the form that tries an operation. */

const root = document.documentElement;
const systemIsDark = matchMedia("(prefers-color-scheme: dark)");

const themeButton = document.getElementById("theme");
const isDark = () => (root.dataset.theme ?? (systemIsDark.matches ? "dark" : "light")) === "dark";
const showTheme = () => (themeButton.textContent = isDark() ? "Light" : "Dark");
themeButton.addEventListener("click", () => {
  root.dataset.theme = isDark() ? "light" : "dark";
  localStorage.setItem("docs-theme", root.dataset.theme);
  showTheme();
});
systemIsDark.addEventListener("change", showTheme);
showTheme();

const groups = [...document.querySelectorAll(".samples")].map(showInTabs);

/** Chooses a language in all groups that have it. */
function chooseEverywhere(label) {
  localStorage.setItem("docs-language", label);
  for (const choose of groups) choose(label);
}

function showInTabs(samples, group) {
  const sections = [...samples.querySelectorAll("[data-sample]")];
  const list = document.createElement("div");
  list.setAttribute("role", "tablist");
  list.setAttribute("aria-label", "Language");
  const known = sections.map(({ dataset }) => dataset.sample);
  const choose = (label) => {
    if (!known.includes(label)) return;
    for (const [index, section] of sections.entries()) {
      const isChosen = section.dataset.sample === label;
      section.hidden = !isChosen;
      list.children[index].setAttribute("aria-selected", String(isChosen));
      list.children[index].tabIndex = isChosen ? 0 : -1;
    }
  };
  for (const [index, section] of sections.entries()) {
    const tab = document.createElement("button");
    tab.type = "button";
    tab.id = `tab-${group}-${index}`;
    tab.textContent = section.dataset.sample;
    tab.setAttribute("role", "tab");
    section.id = `sample-${group}-${index}`;
    section.setAttribute("role", "tabpanel");
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
  choose(known[0]);
  choose(localStorage.getItem("docs-language"));
  return choose;
}

// Browsers have a clipboard on https and localhost only.
const offerCopy = (block) => {
  if (!navigator.clipboard) return;
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  button.addEventListener("click", () => {
    const text = block.querySelector("code").textContent;
    const shown = navigator.clipboard.writeText(text).then(
      () => "Copied",
      () => "Not allowed",
    );
    void shown.then((word) => (button.textContent = word));
  });
  block.append(button);
};
document.querySelectorAll(".block").forEach(offerCopy);

const contents = document.getElementById("contents").parentElement;
showCurrent();
addEventListener("pagehide", () => sessionStorage.setItem("docs-contents", contents.scrollTop));

/** Keeps the contents where they were on the page before, as long as the current entry is in view there. */
function showCurrent() {
  contents.scrollTop = Number(sessionStorage.getItem("docs-contents"));
  const current = contents.querySelector("[aria-current]")?.getBoundingClientRect();
  const { top, bottom, height } = contents.getBoundingClientRect();
  if (!current || (current.top >= top && current.bottom <= bottom)) return;
  contents.scrollTop += current.top - top - height / 2;
}

/** Somewhat more than the space that page.css keeps above what a link leads to. */
const BELOW_HEADER_PX = 100;
const partLinks = [...document.querySelectorAll(".parts a")];
const partHeadings = partLinks.map(({ hash }) => document.getElementById(hash.slice(1)));
addEventListener("scroll", markPart, { passive: true });
markPart();

/** Marks the part of the page that is read: the last whose heading a link would bring here or above, or the last of all at the end. */
function markPart() {
  const isAtEnd = scrollY > 0 && scrollY + innerHeight >= root.scrollHeight - 1;
  const end = isAtEnd ? innerHeight : BELOW_HEADER_PX;
  const read = partHeadings.findLastIndex((part) => part.getBoundingClientRect().top < end);
  for (const [at, link] of partLinks.entries())
    if (at === read) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
}

const search = document.getElementById("search");
const found = document.getElementById("found");
const MAX_FOUND = 12;
let index;

search.addEventListener("input", () => void showFound());

async function showFound() {
  index ??= loadIndex();
  const { find, placeIn } = await index;
  const links = find(search.value)
    .slice(0, MAX_FOUND)
    .map((page) => resultLink(page, placeIn(page)));
  found.hidden = search.value.trim() === "";
  found.replaceChildren(
    ...(links.length > 0 ? links : [document.createTextNode("Nothing found.")]),
  );
}

/** A failure is not kept: the next letter tries again. */
async function loadIndex() {
  try {
    const { openSearch, placeIn } = await import("/docs/files/search.js");
    return { find: await openSearch(), placeIn };
  } catch {
    index = undefined;
    return { find: () => [] };
  }
}

search.addEventListener("keydown", ({ key }) => {
  if (key === "Enter") found.querySelector("a")?.click();
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") found.hidden = true;
  const isTyping = event.target.closest("input, textarea");
  const isSlash = event.key === "/" && !isTyping;
  const isCommand = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k";
  if (!isSlash && !isCommand) return;
  event.preventDefault();
  search.select();
});

function resultLink({ title, group, url }, { id, excerpt }) {
  const link = document.createElement("a");
  link.href = id ? `${url}#${id}` : url;
  const line = document.createElement("span");
  line.append(
    ...excerpt.map(({ text, isFound }) => {
      const piece = document.createElement(isFound ? "mark" : "span");
      piece.textContent = text;
      return piece;
    }),
  );
  link.append(`${group}: ${title}`, line);
  return link;
}

for (const form of document.querySelectorAll("form.try")) {
  form.key.value = sessionStorage.getItem("docs-key") ?? "";
  const id = form.querySelector('[data-in="path"]');
  if (id) id.value = sessionStorage.getItem(lastMade(form.dataset.path)) ?? "";
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void tryOperation(form);
  });
}

/** Where this tab keeps the id that was made last, for all operations on what a path makes. */
function lastMade(path) {
  return `docs-last ${path.split("/{")[0]}`;
}

async function tryOperation(form) {
  const output = form.querySelector("output");
  output.textContent = "Sending …";
  sessionStorage.setItem("docs-key", form.key.value);
  const headers = new Headers({ authorization: `Bearer ${form.key.value}` });
  const query = new URLSearchParams();
  let { path } = form.dataset;
  for (const { name, value, dataset } of form.querySelectorAll("[data-in]")) {
    if (dataset.in === "path") path = path.replace(`{${name}}`, encodeURIComponent(value));
    else if (value !== "" && dataset.in === "query") query.set(name, value);
    else if (value !== "") headers.set(name, value);
  }
  const parts = [...form.querySelectorAll("[data-part]")];
  const body = parts.length > 0 ? formOf(parts) : form.elements.body?.value;
  // The browser names the type of a form itself.
  if (typeof body === "string") headers.set("content-type", "application/json");
  try {
    const { method, path: template } = form.dataset;
    const url = query.size > 0 ? `${path}?${query}` : path;
    const response = await fetch(url, { method, headers, ...(body ? { body } : {}) });
    const text = await response.text();
    const id = method === "POST" && response.ok ? parsed(text)?.id : undefined;
    if (id) sessionStorage.setItem(lastMade(template), id);
    output.replaceChildren(...answerParts(response, text));
  } catch (error) {
    output.textContent = `The request could not be sent: ${error.message}`;
  }
}

/** The status, the body, what was made, and the headers, folded. */
function answerParts({ status, statusText, headers }, text) {
  const answer = parsed(text);
  const files = answer?.output ?? [];
  const body = answer ? JSON.stringify(answer, undefined, 2) : text;
  const lines = [...headers].map(([name, value]) => `${name}: ${value}`);
  const folded = element("details", element("summary", "Headers"), codeBlock(lines.join("\n")));
  const shown = body === "" ? [] : [codeBlock(body)];
  return [element("p", `${status} ${statusText}`), ...shown, ...files.flatMap(preview), folded];
}

/** The page may load files of its own origin only. */
function preview({ url, thumbnail_url: poster, content_type: type }) {
  if (new URL(url).origin !== location.origin) return [];
  const isVideo = type.startsWith("video/");
  const file = isVideo
    ? { controls: true, poster: poster ?? "", ariaLabel: "The video that was made" }
    : { alt: "The picture that was made" };
  return [Object.assign(document.createElement(isVideo ? "video" : "img"), { src: url, ...file })];
}

/** As on the page, with links where it has URLs. */
function codeBlock(text) {
  const pieces = text.split(/(https?:\/\/[^\s"]+)/).map((piece, at) => {
    return at % 2 === 0 ? piece : Object.assign(element("a", piece), { href: piece });
  });
  const code = Object.assign(element("pre", element("code", ...pieces)), { className: "code" });
  code.tabIndex = 0;
  const block = Object.assign(element("div", code), { className: "block" });
  offerCopy(block);
  return block;
}

function element(name, ...content) {
  const made = document.createElement(name);
  made.append(...content);
  return made;
}

function formOf(parts) {
  const data = new FormData();
  for (const { name, files } of parts) for (const file of files) data.append(name, file);
  return data;
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
