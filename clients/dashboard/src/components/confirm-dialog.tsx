/** A dialog that asks before an action that cannot be undone. */
import { Button, Group, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { BusyButton } from "./form/busy-button.tsx";
import { Dialog } from "./dialog.tsx";
import { Failure } from "./failure.tsx";

type Props = {
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

export function ConfirmDialog(props: Props) {
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
