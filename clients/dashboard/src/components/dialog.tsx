/** Modal dialogs, one of which asks before what cannot be undone. */
import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { type ReactNode, useLayoutEffect, useMemo } from "react";
import { BusyButton } from "./form/form.tsx";
import { Failure } from "./states.tsx";

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

type ConfirmDialogProps = {
  isOpen: boolean;
  title: string;
  children: ReactNode;
  action: string;
  /** On the button that closes it. */
  close?: string;
  isPending: boolean;
  /** Whether the action is impossible; the children say why. */
  isImpossible?: boolean;
  error: unknown;
  onConfirm: () => void;
  onClose: () => void;
};

export function ConfirmDialog(props: ConfirmDialogProps) {
  const { isOpen, title, children, action, close = "Cancel", isPending, error } = props;
  const { isImpossible = false } = props;
  const { onConfirm, onClose } = props;
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={title}>
      <Stack>
        <Text size="sm" component="div">
          {children}
        </Text>
        {Boolean(error) && <Failure error={error} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose} data-autofocus>
            {close}
          </Button>
          <BusyButton color="red.8" isBusy={isPending} disabled={isImpossible} onClick={onConfirm}>
            {action}
          </BusyButton>
        </Group>
      </Stack>
    </Dialog>
  );
}
