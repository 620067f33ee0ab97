/** The buttons at the end of a form in a dialog: one closes it, the other submits the form. */
import { Button, Group } from "@mantine/core";
import { BusyButton } from "./busy-button.tsx";

type Props = {
  action: string;
  isPending: boolean;
  /** Whether what is submitted cannot be undone. */
  isDangerous?: boolean;
  onCancel: () => void;
};

export function DialogButtons({ action, isPending, isDangerous = false, onCancel }: Props) {
  return (
    <Group justify="flex-end" gap="sm">
      <Button variant="default" onClick={onCancel}>
        Cancel
      </Button>
      <BusyButton type="submit" color={isDangerous ? "red.8" : undefined} isBusy={isPending}>
        {action}
      </BusyButton>
    </Group>
  );
}
