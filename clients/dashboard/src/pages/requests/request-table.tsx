/** The table of the request log: what was asked for, by which key, and how it was answered. */
import { Anchor, Badge, Table, Text } from "@mantine/core";
import { useState } from "react";
import { Link } from "react-router";
import type { Schemas } from "../../api/client.ts";
import { OpeningRow } from "../../components/opening-row.tsx";
import { RelativeTime } from "../../components/relative-time.tsx";
import { useScope } from "../../data/scope.ts";
import { RequestDetails } from "./request-details.tsx";
import { colorOf, generationOf } from "./request-facts.ts";

type Entry = Schemas["RequestLogEntry"];

export function RequestTable({ entries }: { entries: readonly Entry[] }) {
  const [opened, setOpened] = useState<Entry>();
  return (
    <>
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
            <Row key={entry.request.id} entry={entry} onOpen={() => setOpened(entry)} />
          ))}
        </Table.Tbody>
      </Table>
      {opened && <RequestDetails entry={opened} onClose={() => setOpened(undefined)} />}
    </>
  );
}

type RowProps = { entry: Entry; onOpen: () => void };

function Row({ entry: { request, key_name: keyName }, onOpen }: RowProps) {
  const { to } = useScope();
  const { method, path, status, error_code: errorCode } = request;
  const generationId = generationOf(request);
  return (
    <OpeningRow>
      <Table.Td style={{ overflowWrap: "anywhere" }}>
        <Anchor
          component="button"
          type="button"
          size="sm"
          ta="left"
          c="var(--mantine-color-text)"
          className="mono"
          title="All that is kept of this request"
          onClick={onOpen}
        >
          {method} {path}
        </Anchor>
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
          <Anchor
            href={`/docs/errors/${errorCode}`}
            display="block"
            size="xs"
            c="dimmed"
            mt={4}
            style={{ overflowWrap: "anywhere" }}
          >
            {errorCode}
          </Anchor>
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
    </OpeningRow>
  );
}
