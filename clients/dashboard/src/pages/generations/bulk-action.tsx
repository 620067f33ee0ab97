/** A button that deletes or cancels chosen generations: the question before, how far it is, and what could not be done. */
import { Button, List, Progress, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Ban, Trash2 } from "lucide-react";
import { useState } from "react";
import type { Generation } from "../../api/client.ts";
import { ConfirmDialog, Dialog } from "../../components/dialog.tsx";
import { tokens } from "../../components/value-format.ts";
import { isFinished } from "../../data/generation.ts";
import { useNotice } from "../../data/scope.ts";
import { useBulk, type BulkKind, type NotDone } from "./use-bulk.ts";

const KINDS = {
  delete: {
    button: "Delete",
    done: "deleted",
    icon: Trash2,
    close: "Cancel",
    takes: isFinished,
    warning:
      "Files, inputs and webhooks are deleted within a minute, and URLs stop working. Ids and transactions stay. This cannot be undone.",
    others: ["1 that is running is kept.", "that are running are kept."],
  },
  cancel: {
    button: "Cancel running",
    done: "canceled",
    icon: Ban,
    close: "Let them run",
    takes: (generation: Generation) => !isFinished(generation),
    warning:
      "Those that can still be stopped are canceled, and their reserved Tokens restored. This cannot be undone.",
    others: ["1 that has ended stays as it is.", "that have ended stay as they are."],
  },
} as const;

/** Of the generations with the same reason. */
const SHOWN = 5;

type Props = {
  kind: BulkKind;
  selected: readonly Generation[];
  onDone: (ids: readonly string[]) => void;
};

export function BulkAction({ kind, selected, onDone }: Props) {
  const { button, done: word, icon: Icon, close, takes, warning, others } = KINDS[kind];
  const [isConfirming, confirming] = useDisclosure(false);
  const [failures, setFailures] = useState<readonly NotDone[]>([]);
  const say = useNotice();
  const { run, stop, handled } = useBulk(kind, (done, notDone) => {
    confirming.close();
    setFailures(notDone);
    if (done.length > 0) say(`${counted(done.length)} ${word}`);
    onDone(done);
  });
  // While it runs, the list changes what could be taken.
  const taken = run.isPending ? run.variables : selected.filter(takes);
  const left = selected.filter((generation) => !takes(generation)).length;
  return (
    <>
      <Button
        variant="default"
        size="xs"
        c={taken.length === 0 ? undefined : "var(--mantine-color-error)"}
        leftSection={<Icon size={15} aria-hidden />}
        disabled={taken.length === 0}
        onClick={confirming.open}
      >
        {button}
      </Button>
      {isConfirming && (
        <ConfirmDialog
          isOpen
          title={`${kind === "delete" ? "Delete" : "Cancel"} ${counted(taken.length)}?`}
          action={button}
          close={run.isPending ? "Stop" : close}
          isPending={run.isPending}
          error={run.error}
          onConfirm={() => run.mutate(taken)}
          onClose={run.isPending ? stop : confirming.close}
        >
          {warning}
          {left > 0 && !run.isPending && (
            <Text size="sm" mt="sm" fw={550}>
              {left === 1 ? others[0] : `${tokens(left)} ${others[1]}`}
            </Text>
          )}
          {run.isPending && (
            <Stack gap={4} mt="sm">
              <Text size="sm" className="number" role="status">
                {tokens(handled)} of {tokens(taken.length)}
              </Text>
              <Progress value={(100 * handled) / taken.length} aria-label={`Progress: ${button}`} />
            </Stack>
          )}
        </ConfirmDialog>
      )}
      {failures.length > 0 && (
        <Dialog
          isOpen
          title={`${counted(failures.length)} not ${word}`}
          onClose={() => setFailures([])}
        >
          <Failures failures={failures} />
        </Dialog>
      )}
    </>
  );
}

/** Each reason once, with how many and which have it. */
function Failures({ failures }: { failures: readonly NotDone[] }) {
  const reasons = Map.groupBy(failures, ({ reason }) => reason);
  return (
    <Stack role="alert">
      {[...reasons].map(([reason, group]) => (
        <div key={reason}>
          <Text size="sm" fw={550}>
            {counted(group.length)}
          </Text>
          <Text size="sm">{reason}</Text>
          <List size="sm" mt={4}>
            {group.slice(0, SHOWN).map(({ generation: { id, input } }) => (
              <List.Item key={id}>
                <Text size="sm" c="dimmed" lineClamp={1}>
                  {input.prompt || id}
                </Text>
              </List.Item>
            ))}
          </List>
          {group.length > SHOWN && (
            <Text size="sm" c="dimmed">
              And {tokens(group.length - SHOWN)} more.
            </Text>
          )}
        </div>
      ))}
    </Stack>
  );
}

function counted(count: number): string {
  return count === 1 ? "1 generation" : `${tokens(count)} generations`;
}
