/** Runs before the page is shown, so that it does not flash in the theme that was not chosen. */
{
  const chosen = localStorage.getItem("docs-theme");
  if (chosen) document.documentElement.dataset.theme = chosen;
}
