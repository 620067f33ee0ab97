/** The focus stays near where it was when what has it goes away; the browser would begin again at the top of the document. */
import { useLayoutEffect, useMemo } from "react";

/** An element and what is around it. */
type Place = {
  /** From the inside: the body only around a dialog, which lies over all of the page. */
  around: readonly Element[];
  /** The row that it is in; of what is done with chosen rows, the first of these; of what shows more rows, the next one. */
  row?: { list: Element; index: number } | undefined;
};

function placeOf(element: Element | null): Place {
  const around: Element[] = [];
  for (let one = element; one && one !== document.body; one = one.parentElement) around.push(one);
  if (element?.closest("[role=dialog]")) around.push(document.body);
  return { around, row: rowOf(element) };
}

function rowOf(element: Element | null): Place["row"] {
  const place = element?.closest("[aria-label=Selection], [data-below-rows]")?.parentElement;
  const row = place?.querySelector("tr:has(td input:checked)") ?? element?.closest("tr");
  const list = row?.parentElement;
  if (list) return { list, index: [...list.children].indexOf(row) };
  const all = place?.querySelector("tbody");
  return all ? { list: all, index: all.children.length } : undefined;
}

const CONTROL = "input, select, a[href], button";

/**
 * Focuses the element of the place. Where that is gone and nothing else has the focus: the row that is now where its row
 * was, or what is left around it, a heading where there is one.
 */
function focusAt({ around, row }: Place): void {
  const [element] = around;
  if (element?.isConnected) focus(element);
  else if (document.activeElement === document.body) focus(near(row) ?? left(around), !row);
}

function near(row: Place["row"]): Element | null | undefined {
  if (!row?.list.isConnected) return undefined;
  const rows = [...row.list.children];
  const next = rows[row.index] ?? rows.at(-1);
  return next?.querySelector(CONTROL) ?? next;
}

function left(around: Place["around"]): Element | null | undefined {
  const there = around.filter((one) => one.isConnected);
  const most = there.find((one) => one.querySelector(`h1, h2, ${CONTROL}`));
  const heading = most?.querySelector("h1, h2");
  // While a page is loaded there is none.
  const isPart = most?.parentElement?.closest("#content, [role=dialog]");
  return heading ?? (isPart ? most?.querySelector(CONTROL) : undefined);
}

function focus(element: Element | null | undefined, preventScroll = true): void {
  if (!(element instanceof HTMLElement)) return;
  if (!element.matches(CONTROL)) element.tabIndex = -1;
  element.focus({ preventScroll });
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
