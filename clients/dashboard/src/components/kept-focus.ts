/** The focus stays near where it was when what has it goes away; the browser would begin again at the top of the document. */
import { useLayoutEffect, useMemo } from "react";

/** An element and what is around it. */
type Place = {
  /** From the inside: the body only around a dialog, which lies over all of the page. */
  around: readonly Element[];
  /** The row that it is in; of what is done with chosen rows, the first of these. */
  row?: { list: Element; index: number } | undefined;
};

function placeOf(element: Element | null): Place {
  const around: Element[] = [];
  for (let one = element; one && one !== document.body; one = one.parentElement) around.push(one);
  if (element?.closest("[role=dialog]")) around.push(document.body);
  return { around, row: rowOf(element) };
}

function rowOf(element: Element | null): Place["row"] {
  const bar = element?.closest("[aria-label=Selection]");
  const row = bar
    ? bar.parentElement?.querySelector("tr:has(td input:checked)")
    : element?.closest("tr");
  const list = row?.parentElement;
  return list ? { list, index: [...list.children].indexOf(row) } : undefined;
}

/**
 * Focuses the element of the place. Where that is gone and nothing else has the focus: what can be done with the row that
 * is where its row was, or the heading of what is around it still.
 */
function focusAt({ around, row }: Place): void {
  const [element] = around;
  if (element?.isConnected) {
    focusOn(element);
    return;
  }
  if (document.activeElement !== document.body) return;
  const rows = row?.list.isConnected ? [...row.list.children] : [];
  const control = (rows[row?.index ?? 0] ?? rows.at(-1))?.querySelector("input, a[href], button");
  if (control instanceof HTMLElement) {
    control.focus();
    return;
  }
  const heading = around
    .find((one) => one.isConnected && one.querySelector("h1, h2"))
    ?.querySelector("h1, h2");
  if (heading instanceof HTMLElement) heading.tabIndex = -1;
  focusOn(heading);
}

function focusOn(element: Element | null | undefined): void {
  if (element instanceof HTMLElement) element.focus({ preventScroll: true });
}

/** From now on, for all of the document. */
export function keepFocus(): void {
  let place: Place = { around: [] };
  document.addEventListener("focusin", ({ target }) => (place = placeOf(target as Element)));
  const onRemoval = () => {
    if (place.around[0]?.isConnected === false) focusAt(place);
  };
  new MutationObserver(onRemoval).observe(document.body, { childList: true, subtree: true });
}

/** Where each open dialog was opened from, the last one at the end. */
const openers: Place[] = [];

/** Gives the focus back, when a dialog closes, to what had it when the dialog opened; not where another was opened since. */
export function useFocusReturn(isOpen: boolean): void {
  // While rendering: the menu that the dialog was opened from may be gone afterwards.
  const opener = useMemo(() => (isOpen ? focusedControl() : placeOf(null)), [isOpen]);
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
