/** A modal dialog; Escape and the close button close it. */
import { Modal } from "@mantine/core";
import type { ReactNode } from "react";

type Props = {
  isOpen: boolean;
  title: string;
  onClose: () => void;
  /** False where an accidental click outside would lose data. */
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
      // Without this role, the header counts as a second banner landmark of the page.
      attributes={{ header: { role: "presentation" } }}
    >
      {children}
    </Modal>
  );
}
