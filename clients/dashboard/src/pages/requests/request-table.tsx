/** The table of the request log: what was asked for, by which key, and how it was answered. */
import { Anchor, Badge, Group, Text } from "@mantine/core";
import { useState } from "react";
import { Link } from "react-router";
import type { Schemas } from "../../api/client.ts";
import { Below, DataTable } from "../../components/data-table.tsx";
import { RelativeTime } from "../../components/texts.tsx";
import { useScope } from "../../data/scope.ts";
import { colorOf, RequestDetails } from "./request-details.tsx";

type Entry = Schemas["RequestLogEntry"];

/** The least height of what is pressed, as fingers need it. */
const TARGET_PX = 24;

export function RequestTable({ entries }: { entries: readonly Entry[] }) {
  const [opened, setOpened] = useState<Entry>();
  return (
    <>
      <DataTable
        label="Requests"
        rows={entries}
        keyOf={({ request }) => request.id}
        isOpening
        columns={[
          {
            head: "Request",
            cell: (entry) => <Asked entry={entry} onOpen={() => setOpened(entry)} />,
          },
          {
            head: "Status",
            width: 150,
            from: 620,
            cell: ({ request }) => <Status request={request} />,
          },
          {
            head: "Key",
            width: 150,
            from: 800,
            cell: ({ request, key_name: name }) =>
              name ?? <span className="mono">{request.key_id}</span>,
          },
          {
            head: "Duration",
            width: 100,
            isRight: true,
            from: 800,
            cell: ({ request }) => `${request.duration_ms} ms`,
          },
          {
            head: "Time",
            width: 110,
            isRight: true,
            from: 620,
            cell: ({ request }) => <RelativeTime time={request.created_at} />,
          },
        ]}
      />
      {opened && <RequestDetails entry={opened} onClose={() => setOpened(undefined)} />}
    </>
  );
}

function Asked({ entry: { request }, onOpen }: { entry: Entry; onOpen: () => void }) {
  const { to } = useScope();
  const { method, path, generation_id: generationId } = request;
  return (
    <>
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
      <Below width={620}>
        <Group gap={6}>
          <Status request={request} />
          <Text span size="xs" c="dimmed">
            <RelativeTime time={request.created_at} />
          </Text>
        </Group>
      </Below>
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
    </>
  );
}

function Status({ request }: Pick<Entry, "request">) {
  const { status, error_code: errorCode, error_param: param } = request;
  return (
    <>
      <Badge color={colorOf(status)}>{status}</Badge>
      {errorCode && (
        <Anchor
          href={`/docs/errors#${errorCode}`}
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
