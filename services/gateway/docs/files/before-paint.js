/** Runs before anything is painted, so that nothing moves. */
{
  // A list that would stand above the page instead of beside it is folded as soon as it is parsed.
  const fold = (query, id) => {
    if (!matchMedia(query).matches) return;
    new MutationObserver((_, observer) => {
      const list = document.getElementById(id);
      if (!list) return;
      list.open = false;
      observer.disconnect();
    }).observe(document, { childList: true, subtree: true });
  };
  fold("(max-width: 60rem)", "contents");
  fold("(max-width: 75rem)", "parts");
}
