/** A modal dialog; Escape, the close button and a click outside close it, unless that would lose something. */
import { Modal } from "@mantine/core";
import type { ReactNode } from "react";
import { useFocusReturn } from "./kept-focus.ts";

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
