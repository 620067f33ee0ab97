/** The focus stays near where it was when what has it goes away; the browser would begin again at the top of the document. */
import { useLayoutEffect, useMemo } from "react";

/** An element and what is around it, from the inside: the body only around a dialog, which lies over all of the page. */
type Place = readonly Element[];

function placeOf(element: Element | null): Place {
  const place: Element[] = [];
  for (let one = element; one && one !== document.body; one = one.parentElement) place.push(one);
  return element?.closest("[role=dialog]") ? [...place, document.body] : place;
}

/** Focuses the element of the place; where that is gone and nothing else has the focus, the heading of what is around it still. */
function focusAt(place: Place): void {
  const [element] = place;
  const isLost = document.activeElement === document.body;
  const heading = () =>
    place.find((one) => one.isConnected && one.querySelector("h1, h2"))?.querySelector("h1, h2");
  const target = element?.isConnected ? element : isLost && heading();
  if (!(target instanceof HTMLElement)) return;
  if (target !== element) target.tabIndex = -1;
  target.focus({ preventScroll: true });
}

/** From now on, for all of the document. */
export function keepFocus(): void {
  let place: Place = [];
  document.addEventListener("focusin", ({ target }) => (place = placeOf(target as Element)));
  const onRemoval = () => {
    if (place[0]?.isConnected === false) focusAt(place);
  };
  new MutationObserver(onRemoval).observe(document.body, { childList: true, subtree: true });
}

/** Where each open dialog was opened from, the last one at the end. */
const openers: Place[] = [];

/** Gives the focus back, when a dialog closes, to what had it when the dialog opened; not where another was opened since. */
export function useFocusReturn(isOpen: boolean): void {
  // While rendering: the menu that the dialog was opened from may be gone afterwards.
  const opener = useMemo(() => (isOpen ? focusedControl() : []), [isOpen]);
  useLayoutEffect(() => {
    if (!isOpen) return undefined;
    openers.push(opener);
    return () => {
      const at = openers.indexOf(opener);
      openers.splice(at, 1);
      // After React, which gives it back to what had it before the commit: that is in the dialog until it is faded out.
      queueMicrotask(() => openers.length === at && focusAt(opener));
    };
  }, [isOpen, opener]);
}

/** What has the focus; for an item of a menu, the button of the menu. */
function focusedControl(): Place {
  const focused = document.activeElement;
  const button = focused?.closest('[role="menu"]')?.getAttribute("aria-labelledby");
  return placeOf(button ? document.getElementById(button) : focused);
}
