/** The table of the request log: what was asked for, by which key, and how it was answered. */
import { Anchor, Badge, Table, Text } from "@mantine/core";
import { Link } from "react-router";
import type { Schemas } from "../../api/client.ts";
import { RelativeTime } from "../../components/relative-time.tsx";
import { useScope } from "../../data/scope.ts";

type Entry = Schemas["RequestLogEntry"];

export function RequestTable({ entries }: { entries: readonly Entry[] }) {
  return (
    <Table aria-label="Requests">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Request</Table.Th>
          <Table.Th>Status</Table.Th>
          <Table.Th visibleFrom="md">Key</Table.Th>
          <Table.Th visibleFrom="sm" ta="right">
            Duration
          </Table.Th>
          <Table.Th ta="right">Time</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {entries.map((entry) => (
          <Row key={entry.request.id} entry={entry} />
        ))}
      </Table.Tbody>
    </Table>
  );
}

function Row({ entry: { request, key_name: keyName } }: { entry: Entry }) {
  const { to } = useScope();
  const { method, path, status, error_code: errorCode } = request;
  const generationId = generationOf(request);
  return (
    <Table.Tr>
      <Table.Td style={{ overflowWrap: "anywhere" }}>
        <Text size="sm" className="mono">
          {method} {path}
        </Text>
        <Text size="xs" c="dimmed" className="mono">
          {request.request_id}
        </Text>
        {generationId && (
          <Anchor component={Link} to={to(`generations/${generationId}`)} size="xs">
            {generationId}
          </Anchor>
        )}
      </Table.Td>
      <Table.Td>
        <Badge color={colorOf(status)}>{status}</Badge>
        {errorCode && (
          <Text size="xs" c="dimmed" mt={4} style={{ overflowWrap: "anywhere" }}>
            {errorCode}
          </Text>
        )}
      </Table.Td>
      <Table.Td visibleFrom="md" style={{ overflowWrap: "anywhere" }}>
        {keyName ?? <span className="mono">{request.key_id}</span>}
      </Table.Td>
      <Table.Td visibleFrom="sm" ta="right" className="number">
        {request.duration_ms} ms
      </Table.Td>
      <Table.Td ta="right">
        <RelativeTime time={request.created_at} />
      </Table.Td>
    </Table.Tr>
  );
}

/** The generation that the request made or asked for; undefined where a refused request made none, or there is none any more. */
function generationOf({ generation_id: id, path, status }: Entry["request"]): string | undefined {
  if (status < 400) return id;
  const isOfExisting = path.includes("{id}") && status !== 404 && status !== 410;
  return isOfExisting ? id : undefined;
}

function colorOf(status: number): string {
  if (status >= 500) return "red";
  return status >= 400 ? "amber" : "teal";
}
