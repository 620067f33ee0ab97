/** A question or a form over the page; Escape and the cross close it. */
import { Modal } from "@mantine/core";
import type { ReactNode } from "react";

type Props = {
  isOpen: boolean;
  title: string;
  onClose: () => void;
  /** False where a stray click would lose something. */
  closesOutside?: boolean;
  children: ReactNode;
};

export function Dialog({ isOpen, title, onClose, closesOutside = true, children }: Props) {
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={title}
      centered
      closeOnClickOutside={closesOutside}
      closeButtonProps={{ "aria-label": "Close" }}
      // Otherwise the dialog's title bar counts as a second banner of the page.
      attributes={{ header: { role: "presentation" } }}
    >
      {children}
    </Modal>
  );
}
