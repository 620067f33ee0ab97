/** Runs before anything is painted, so that the theme does not flash and nothing moves. */
{
  const chosen = localStorage.getItem("docs-theme");
  if (chosen) document.documentElement.dataset.theme = chosen;

  // On a narrow screen the contents are folded, as soon as they are parsed.
  if (matchMedia("(max-width: 60rem)").matches) {
    new MutationObserver((_, observer) => {
      const contents = document.querySelector("nav details");
      if (!contents) return;
      contents.open = false;
      observer.disconnect();
    }).observe(document, { childList: true, subtree: true });
  }
}
