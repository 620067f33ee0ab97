/** A modal dialog; Escape, the close button and a click outside close it, unless that would lose something. */
import { Modal } from "@mantine/core";
import { useLayoutEffect, useMemo, type ReactNode } from "react";

type Props = {
  isOpen: boolean;
  title: string;
  onClose: () => void;
  /** False where only a button of the content closes it, because what it shows is shown once. */
  isDismissible?: boolean;
  children: ReactNode;
};

export function Dialog({ isOpen, title, onClose, isDismissible = true, children }: Props) {
  useFocusReturn(isOpen);
  return (
    <Modal
      // The library's own returns it to no menu, and from no dialog that is mounted open.
      returnFocus={false}
      opened={isOpen}
      onClose={onClose}
      title={title}
      centered
      closeOnClickOutside={isDismissible}
      closeOnEscape={isDismissible}
      withCloseButton={isDismissible}
      closeButtonProps={{ "aria-label": "Close" }}
      styles={{ title: { fontWeight: 600, lineHeight: 1.35, overflowWrap: "anywhere" } }}
      // Without this role, the header counts as a second banner landmark of the page.
      attributes={{ header: { role: "presentation" } }}
    >
      {children}
    </Modal>
  );
}

/** Gives the focus back, when a dialog closes, to what opened it. */
function useFocusReturn(isOpen: boolean): void {
  // While rendering: the menu that the dialog was opened from may be gone afterwards.
  const opener = useMemo(() => (isOpen ? focusedControl() : null), [isOpen]);
  useLayoutEffect(() => {
    if (!isOpen) return undefined;
    // After React, which gives it back to what had it before the commit: that is in the dialog until it is faded out.
    return () => queueMicrotask(() => opener?.isConnected && opener.focus());
  }, [isOpen, opener]);
}

/** What has the focus; for an item of a menu, the button of the menu. */
function focusedControl(): HTMLElement | null {
  const focused = document.activeElement;
  const button = focused?.closest('[role="menu"]')?.getAttribute("aria-labelledby");
  const opener = button ? document.getElementById(button) : focused;
  return opener instanceof HTMLElement ? opener : null;
}
