/** The buttons at the end of a form in a dialog: one closes it, the other submits the form. */
import { Button, Group } from "@mantine/core";

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
      <Button type="submit" color={isDangerous ? "red.8" : undefined} loading={isPending}>
        {action}
      </Button>
    </Group>
  );
}
