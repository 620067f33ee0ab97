/** The button that deletes the chosen generations, the one question before, and what could not be deleted. */
import { Button, List, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Trash2 } from "lucide-react";
import { useState } from "react";
import type { Generation } from "../../api/client.ts";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { isFinished } from "../../data/generation.ts";
import { useNotice } from "../../data/notice.ts";
import { useBulkDeletion, type NotDeleted } from "./use-deletion.ts";

type Props = {
  selected: readonly Generation[];
  onDeleted: (ids: readonly string[]) => void;
};

export function DeleteSelected({ selected, onDeleted }: Props) {
  const [isConfirming, confirming] = useDisclosure(false);
  const [failures, setFailures] = useState<readonly NotDeleted[]>([]);
  const say = useNotice();
  const deletion = useBulkDeletion((deleted, notDeleted) => {
    confirming.close();
    setFailures(notDeleted);
    if (deleted.length > 0) say(`${counted(deleted.length)} deleted`);
    onDeleted(deleted);
  });
  const ended = selected.filter(isFinished);
  const running = selected.length - ended.length;
  return (
    <>
      <Button
        variant="default"
        size="xs"
        c={ended.length === 0 ? undefined : "var(--mantine-color-error)"}
        leftSection={<Trash2 size={15} aria-hidden />}
        disabled={ended.length === 0}
        onClick={confirming.open}
      >
        Delete
      </Button>
      {isConfirming && (
        <ConfirmDialog
          isOpen
          title={`Delete ${counted(ended.length)}?`}
          action="Delete"
          isPending={deletion.isPending}
          error={deletion.error}
          onConfirm={() => deletion.mutate(ended)}
          onClose={confirming.close}
        >
          Files, inputs and webhooks are deleted within a minute, and URLs stop working. Ids and
          transactions stay. This cannot be undone.
          {running > 0 && (
            <Text size="sm" mt="sm" fw={550}>
              {running === 1
                ? "1 that is running is kept."
                : `${running} that are running are kept.`}
            </Text>
          )}
        </ConfirmDialog>
      )}
      {failures.length > 0 && (
        <Dialog
          isOpen
          title={`${counted(failures.length)} not deleted`}
          onClose={() => setFailures([])}
        >
          <Failures failures={failures} />
        </Dialog>
      )}
    </>
  );
}

function Failures({ failures }: { failures: readonly NotDeleted[] }) {
  return (
    <Stack role="alert">
      <List size="sm" spacing="xs" listStyleType="none">
        {failures.map(({ generation: { id, input }, reason }) => (
          <List.Item key={id}>
            <Text size="sm" fw={550} lineClamp={1}>
              {input.prompt || id}
            </Text>
            <Text size="sm">{reason}</Text>
          </List.Item>
        ))}
      </List>
    </Stack>
  );
}

function counted(count: number): string {
  return count === 1 ? "1 generation" : `${count} generations`;
}
