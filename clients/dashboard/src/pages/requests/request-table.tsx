/** The table of the request log: what was asked for, by which key, and how it was answered. */
import { Anchor, Badge, Group, Table, Text } from "@mantine/core";
import { useState } from "react";
import { Link } from "react-router";
import type { Schemas } from "../../api/client.ts";
import columns from "../../components/columns.module.css";
import { OpeningRow } from "../../components/opening-row.tsx";
import { RelativeTime } from "../../components/relative-time.tsx";
import { useScope } from "../../data/scope.ts";
import { RequestDetails } from "./request-details.tsx";
import { colorOf } from "./request-facts.ts";

type Entry = Schemas["RequestLogEntry"];

/** The least height of what is pressed, as fingers need it. */
const TARGET_PX = 24;

export function RequestTable({ entries }: { entries: readonly Entry[] }) {
  const [opened, setOpened] = useState<Entry>();
  return (
    <>
      <div className={columns.table}>
        <Table aria-label="Requests" layout="fixed">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Request</Table.Th>
              <Table.Th w={150} className={columns.from620}>
                Status
              </Table.Th>
              <Table.Th w={150} className={columns.from800}>
                Key
              </Table.Th>
              <Table.Th w={100} ta="right" className={columns.from800}>
                Duration
              </Table.Th>
              <Table.Th w={110} ta="right" className={columns.from620}>
                Time
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {entries.map((entry) => (
              <Row key={entry.request.id} entry={entry} onOpen={() => setOpened(entry)} />
            ))}
          </Table.Tbody>
        </Table>
      </div>
      {opened && <RequestDetails entry={opened} onClose={() => setOpened(undefined)} />}
    </>
  );
}

type RowProps = { entry: Entry; onOpen: () => void };

function Row({ entry: { request, key_name: keyName }, onOpen }: RowProps) {
  const { to } = useScope();
  const { method, path, generation_id: generationId } = request;
  return (
    <OpeningRow>
      <Table.Td>
        <Anchor
          component="button"
          type="button"
          size="sm"
          mih={TARGET_PX}
          ta="left"
          c="var(--mantine-color-text)"
          className="mono"
          title="All that is kept of this request"
          style={{ overflowWrap: "anywhere" }}
          onClick={onOpen}
        >
          {method} {path}
        </Anchor>
        <Group gap={6} className={columns.below620}>
          <Status request={request} />
          <Text span size="xs" c="dimmed">
            <RelativeTime time={request.created_at} />
          </Text>
        </Group>
        <Text size="xs" c="dimmed" className="mono" truncate>
          {request.request_id}
        </Text>
        {generationId && (
          <Anchor
            component={Link}
            to={to(`generations/${generationId}`)}
            size="xs"
            mih={TARGET_PX}
            display="block"
            truncate
          >
            {generationId}
          </Anchor>
        )}
      </Table.Td>
      <Table.Td className={columns.from620}>
        <Status request={request} />
      </Table.Td>
      <Table.Td className={columns.from800} style={{ overflowWrap: "anywhere" }}>
        {keyName ?? <span className="mono">{request.key_id}</span>}
      </Table.Td>
      <Table.Td ta="right" className={`number ${columns.from800}`}>
        {request.duration_ms} ms
      </Table.Td>
      <Table.Td ta="right" className={columns.from620}>
        <RelativeTime time={request.created_at} />
      </Table.Td>
    </OpeningRow>
  );
}

function Status({ request }: Pick<Entry, "request">) {
  const { status, error_code: errorCode, error_param: param } = request;
  return (
    <>
      <Badge color={colorOf(status)}>{status}</Badge>
      {errorCode && (
        <Anchor
          href={`/docs/errors/${errorCode}`}
          mih={TARGET_PX}
          display="block"
          size="xs"
          c="dimmed"
          style={{ overflowWrap: "anywhere" }}
        >
          {errorCode}
          {param && `: ${param}`}
        </Anchor>
      )}
    </>
  );
}
