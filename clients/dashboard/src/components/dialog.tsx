/** Modal dialogs, and those that ask before they do something. */
import { Button, Modal, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { type ReactNode, useLayoutEffect } from "react";
import { ActionForm, type ActionFormProps } from "./action-form.tsx";
import { returnFocus } from "./focus.ts";

type Props = {
  title: string;
  onClose: () => void;
  /** False where only a button of the content closes it, because what it shows is shown once. */
  isDismissible?: boolean;
  children: ReactNode;
};

/** Open while it is rendered. */
export function Dialog({ title, onClose, isDismissible = true, children }: Props) {
  // After React, which gives it back to what had it before the commit.
  useLayoutEffect(() => () => queueMicrotask(returnFocus), []);
  return (
    <Modal
      // The library's own returns it to no menu, and from no dialog that is mounted open.
      returnFocus={false}
      opened
      onClose={onClose}
      title={title}
      centered
      closeOnClickOutside={isDismissible}
      closeOnEscape={isDismissible}
      withCloseButton={isDismissible}
      closeButtonProps={{ "aria-label": "Close" }}
      styles={{ title: { fontWeight: 600, lineHeight: 1.35 } }}
      // Without this role, the header counts as a second banner landmark of the page.
      attributes={{ header: { role: "presentation" } }}
    >
      {children}
    </Modal>
  );
}

type FormDialogProps<A> = Omit<ActionFormProps<A>, "onCancel"> & {
  title: string;
  /** What the dialog explains, above the fields. */
  text?: ReactNode;
  onClose: () => void;
};

/** A dialog with a form, or with a question: it closes once that is done. */
export function FormDialog<A>(props: FormDialogProps<A>) {
  const { title, text, onClose, onDone, children, ...form } = props;
  const done = async (answer: A) => {
    onClose();
    await onDone?.(answer);
  };
  return (
    <Dialog onClose={onClose} title={title}>
      <ActionForm {...form} onDone={done} onCancel={onClose}>
        <Stack>
          {text && (
            <Text size="sm" component="div">
              {text}
            </Text>
          )}
          {children}
        </Stack>
      </ActionForm>
    </Dialog>
  );
}

type DialogButtonProps<A> = Omit<FormDialogProps<A>, "onClose"> & {
  label: string;
  /** What it does to what, for screen readers, where others have the same label. */
  name?: string;
  size?: "xs" | "sm";
};

/** A button that asks, or has a form, before it does something; `icon` is on it. */
export function DialogButton<A>(props: DialogButtonProps<A>) {
  const { label, name, size = "sm", icon, ...dialog } = props;
  const [isOpen, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button
        variant="default"
        size={size}
        w="fit-content"
        c={dialog.isDangerous ? "var(--mantine-color-error)" : undefined}
        leftSection={icon}
        aria-label={name}
        onClick={open}
      >
        {label}
      </Button>
      {isOpen && <FormDialog {...dialog} onClose={close} />}
    </>
  );
}
