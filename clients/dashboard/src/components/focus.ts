/** Where the focus goes when what has it goes away: browsers leave it nowhere, and screen readers begin anew. */

/** What had it last in the page, and the places around that, which have names. */
let places: Element[] = [];

/** Above the page: what opened it is in the page. */
const OVERLAY = "[role=dialog], [role=menu], [role=listbox]";

/** Gives it to what had it last, or else to the nearest place around that is still there. */
export function returnFocus(): void {
  const place = places.find((one) => one.isConnected) ?? document.querySelector("main");
  if (!(place instanceof HTMLElement)) return;
  if (place.tabIndex < 0) place.tabIndex = -1;
  place.focus({ preventScroll: true });
}

/** Returns it, in this document, whenever what has it goes away. */
export function keepFocus(): void {
  let focused: Element | null = null;
  // A click may also take it away, on purpose.
  for (const type of ["focusin", "click"])
    document.addEventListener(type, () => {
      focused = document.activeElement;
      if (!focused || focused === document.body || focused.closest(OVERLAY)) return;
      places = [focused];
      for (let one = focused.parentElement; one; one = one.parentElement)
        if (one.matches("table, section, main")) places.push(one);
    });
  new MutationObserver(() => {
    if (focused?.isConnected === false && document.activeElement === document.body) returnFocus();
  }).observe(document.body, { childList: true, subtree: true });
}
