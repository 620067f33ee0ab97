/** What can be done with the chosen entries of a list: a bar that is always in the window, and its actions. */
import { Button, Group, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import pLimit from "p-limit";
import type { ReactNode } from "react";
import { messageOf } from "../api/refusal.ts";
import { type Call, useAction } from "../data/queries.ts";
import { useNotice } from "../data/scope.ts";
import type { Selection } from "../data/use-selection.ts";
import { counted } from "../data/value-format.ts";
import { FormDialog } from "./dialog.tsx";
import { BusyButton } from "./form/form.tsx";

/** The style of the card around the bar: one that scrolls its own content would keep the bar at its end. */
export const WITH_BAR = { overflowX: "visible", overflowY: "visible" } as const;

type BarProps = { status: string; onClear: () => void; children: ReactNode };

export function SelectedBar({ status, onClear, children }: BarProps) {
  return (
    <Group
      justify="space-between"
      gap="sm"
      mt="sm"
      p="sm"
      pos="sticky"
      bottom={12}
      bg="var(--mantine-color-body)"
      bd="1px solid var(--line)"
      bdrs="md"
      // Before the rows for the keyboard, and below them in the card: they do not move when the first one is selected.
      style={{ order: 1, zIndex: 2, boxShadow: "var(--mantine-shadow-md)" }}
      data-bottom-bar
      role="region"
      aria-label="Selection"
    >
      <Text size="sm" role="status" flex={1}>
        {status}
      </Text>
      <Button variant="default" size="xs" onClick={onClear}>
        Clear
      </Button>
      {children}
    </Group>
  );
}

type ActionProps<Entry extends { id: string }> = {
  label: string;
  icon: ReactNode;
  /** Those of the chosen that it takes. */
  entries: readonly Entry[];
  one: (call: Call, entry: Entry) => Promise<unknown>;
  /** "generation", and "deleted". */
  noun: string;
  done: string;
  /** Those that it could not be done for stay chosen. */
  selection: Pick<Selection<Entry>, "remove">;
  /** What is asked before. */
  question?: ReactNode;
};

/** What browsers send to one host at once, with room left for other requests. */
const AT_ONCE = 4;

/** A button that does the same for each, some at a time; a failure of one leaves the others. */
export function BulkAction<Entry extends { id: string }>(props: ActionProps<Entry>) {
  const { label, icon, entries, one, noun, done: word, selection, question } = props;
  const [isAsking, asking] = useDisclosure(false);
  const say = useNotice();
  const run = useAction(
    async (call, all: readonly Entry[]) => {
      const limit = pLimit(AT_ONCE);
      const ended = await Promise.allSettled(all.map((entry) => limit(() => one(call, entry))));
      return {
        done: all.filter((_, index) => ended[index]?.status === "fulfilled"),
        failures: ended.filter((end) => end.status === "rejected"),
      };
    },
    ({ done }) => {
      if (done.length > 0) say(`${counted(done.length, noun)} ${word}`);
      selection.remove(done.map(({ id }) => id));
    },
  );
  const failures = run.data?.failures ?? [];
  const reasons = new Set(failures.map(({ reason }) => messageOf(reason)));
  return (
    <>
      <BusyButton
        variant="default"
        size="xs"
        c={question && entries.length > 0 ? "var(--mantine-color-error)" : undefined}
        leftSection={icon}
        disabled={entries.length === 0}
        isBusy={run.isPending}
        onClick={() => (question ? asking.open() : run.mutate(entries))}
      >
        {label}
      </BusyButton>
      {isAsking && (
        <FormDialog
          title={`${label}: ${counted(entries.length, noun)}?`}
          text={question}
          action={label}
          isDangerous
          onClose={asking.close}
          run={async () => run.mutate(entries)}
        />
      )}
      {failures.length > 0 && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert" w="100%">
          {counted(failures.length, noun)} not {word}: {[...reasons].join(" ")}
        </Text>
      )}
    </>
  );
}
