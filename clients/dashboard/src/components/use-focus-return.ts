/** Gives the focus back, when a dialog closes, to what had it when the dialog opened. */
import { useLayoutEffect, useMemo } from "react";

export function useFocusReturn(isOpen: boolean): void {
  // While rendering: the menu that the dialog was opened from may be gone afterwards.
  const opener = useMemo(() => (isOpen ? focusedControl() : null), [isOpen]);
  useLayoutEffect(() => () => opener?.focus({ preventScroll: true }), [opener]);
}

/** What has the focus; for an item of a menu, the button of the menu. */
function focusedControl(): HTMLElement | null {
  const focused = document.activeElement;
  const button = focused?.closest('[role="menu"]')?.getAttribute("aria-labelledby");
  const control = button ? document.getElementById(button) : focused;
  return control instanceof HTMLElement ? control : null;
}
