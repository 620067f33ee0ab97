/** Scrolls to a part of the page, unless it can be seen already. */

/** Below this share of the window a part counts as out of view. */
const LOWEST_SHARE = 0.6;

export function comeIntoView(element: HTMLElement | null): void {
  if (!element) return;
  const { top } = element.getBoundingClientRect();
  const isInView = top >= 0 && top < globalThis.innerHeight * LOWEST_SHARE;
  if (!isInView) element.scrollIntoView({ block: "start" });
}
