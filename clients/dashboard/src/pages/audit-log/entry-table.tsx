/** The table of entries of the audit log. */
import { Badge, Group, Table, Text } from "@mantine/core";
import type { Schemas } from "../../api/client.ts";
import { RelativeTime } from "../../components/relative-time.tsx";
import { actionName } from "./actions.ts";

type Entry = Schemas["AuditEntry"];

export function EntryTable({ entries }: { entries: readonly Entry[] }) {
  return (
    <Table aria-label="Audit log">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>What</Table.Th>
          <Table.Th visibleFrom="sm">Who</Table.Th>
          <Table.Th visibleFrom="md">Address</Table.Th>
          <Table.Th ta="right">Time</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {entries.map((entry) => (
          <Row key={entry.id} entry={entry} />
        ))}
      </Table.Tbody>
    </Table>
  );
}

function Row({ entry }: { entry: Entry }) {
  const { action, target, mode, details = {}, error, address } = entry;
  const more = Object.entries(details).map(([name, value]) => `${name}: ${value}`);
  return (
    <Table.Tr>
      <Table.Td style={{ overflowWrap: "anywhere" }}>
        <Group gap="xs">
          <Text size="sm" fw={550}>
            {actionName(action)}
          </Text>
          {mode && <Badge color={mode === "live" ? "teal" : "amber"}>{mode}</Badge>}
          {error && <Badge color="red">failed: {error}</Badge>}
        </Group>
        {target && (
          <Text size="xs" c="dimmed" className="mono">
            {target}
          </Text>
        )}
        {more.length > 0 && (
          <Text size="xs" c="dimmed">
            {more.join(", ")}
          </Text>
        )}
        <Text size="xs" hiddenFrom="sm">
          by {actorName(entry)}
        </Text>
      </Table.Td>
      <Table.Td visibleFrom="sm" style={{ overflowWrap: "anywhere" }}>
        {actorName(entry)}
      </Table.Td>
      <Table.Td visibleFrom="md" className="mono">
        {address}
      </Table.Td>
      <Table.Td ta="right">
        <RelativeTime time={entry.created_at} />
      </Table.Td>
    </Table.Tr>
  );
}

function actorName({ actor: { type, email } }: Entry): string {
  if (type === "user") return email ?? "";
  return type === "operator" ? "an operator of the service" : "the service itself";
}
