/** Requests: what the API keys of this mode asked for, and how it was answered. */
import { Anchor, Badge, Card, Text } from "@mantine/core";
import { Activity } from "lucide-react";
import { useState } from "react";
import type { Schemas } from "../../api/client.ts";
import { DataTable } from "../../components/data-table.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { FilterFields, keyOptions, useFilters } from "../../components/filter-fields.tsx";
import { PageHead } from "../../components/page-head.tsx";
import { Empty, RowsLoading } from "../../components/states.tsx";
import { DetailList, GenerationLink, Id, Note, Words } from "../../components/texts.tsx";
import { useApiKeys, useList } from "../../data/queries.ts";
import { isPath, isRequestId, requestQuery } from "../../data/url.ts";
import { dateTime, tokens } from "../../data/value-format.ts";

type Entry = Schemas["RequestLogEntry"];

const idOf = ({ request }: Entry) => request.id;

export default function Requests() {
  const filters = useRequestFilters();
  const [opened, setOpened] = useState<Entry>();
  const requests = useList("listRequestLog", requestQuery(filters.query), { idOf });
  return (
    <>
      <PageHead title="Requests">
        What this mode&apos;s API keys asked for and how it was answered, newest first. Bodies and
        queries are not kept.
      </PageHead>
      <Card padding="md">
        <FilterFields filters={filters} />
        <DataTable
          label="Requests"
          list={requests}
          loading={<RowsLoading rows={8} height={46} />}
          keyOf={idOf}
          isOpening
          onClear={filters.onClear}
          empty={
            <Empty icon={Activity} title="No requests yet">
              Requests appear here a moment after they were answered.
            </Empty>
          }
          columns={[
            {
              head: "Request",
              cell: (entry) => <Asked entry={entry} onOpen={() => setOpened(entry)} />,
            },
            {
              head: "Status",
              width: 170,
              from: 620,
              below: true,
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
              cell: ({ request }) => `${tokens(request.duration_ms)} ms`,
            },
            { head: "Time", time: ({ request }) => request.created_at, from: 620, below: true },
          ]}
        />
      </Card>
      {opened && <RequestDetails entry={opened} onClose={() => setOpened(undefined)} />}
    </>
  );
}

const STATUSES = ["2xx", "4xx", "400", "402", "403", "404", "409", "422", "429", "5xx"];
const METHODS = ["GET", "POST", "DELETE"];

function useRequestFilters() {
  const { keys } = useApiKeys();
  return useFilters([
    {
      name: "id",
      label: "Request-Id or generation",
      maxLength: 64,
      faultOf: (id) => (isRequestId(id) ? undefined : "8 to 64 letters, digits, _ or -"),
    },
    { name: "status", label: "Status", data: STATUSES, isClosed: true },
    { name: "method", label: "Method", data: METHODS, isClosed: true },
    {
      name: "path",
      label: "Path, with {id} for ids",
      maxLength: 200,
      faultOf: (path) => (isPath(path) ? undefined : "Such as /v1/videos/generations/{id}"),
    },
    { name: "key", label: "Key", data: keyOptions(keys) },
  ]);
}

/** The least height of what is pressed, as fingers need it. */
const TARGET_PX = 24;

function Asked({ entry: { request }, onOpen }: { entry: Entry; onOpen: () => void }) {
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
        onClick={onOpen}
      >
        {method} {path}
      </Anchor>
      <Note className="mono" truncate>
        {request.request_id}
      </Note>
      {generationId && (
        <Text size="xs" mih={TARGET_PX} truncate>
          <GenerationLink id={generationId} />
        </Text>
      )}
    </>
  );
}

function Status({ request }: Pick<Entry, "request">) {
  const { status, error_code: errorCode, error_param: param, error_message: message } = request;
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
        >
          <Words text={param ? `${errorCode}: ${param}` : errorCode} />
        </Anchor>
      )}
      {message && <Note lineClamp={2}>{message}</Note>}
    </>
  );
}

function colorOf(status: number): string {
  if (status >= 500) return "red";
  return status >= 400 ? "amber" : "teal";
}

/** All that is kept of a request, with links to its generation and to what its error means. */
function RequestDetails({ entry, onClose }: { entry: Entry; onClose: () => void }) {
  const { request, key_name: keyName } = entry;
  const { status, error_code: errorCode, error_param: param, generation_id: id } = request;
  const details = [
    { name: "Request-Id", value: <Id id={request.request_id} label="Copy the Request-Id" /> },
    { name: "API key", value: `${keyName ?? ""} ${request.key_id}`.trim() },
    { name: "Mode", value: request.mode },
    { name: "Answered", value: dateTime(request.created_at) },
    { name: "Duration", value: `${tokens(request.duration_ms)} ms` },
    { name: "Status", value: <Badge color={colorOf(status)}>{status}</Badge> },
    errorCode !== undefined && {
      name: "Error",
      value: (
        <>
          <span className="mono">{errorCode}</span>{" "}
          <Anchor href={`/docs/errors#${errorCode}`} size="sm">
            What it means
          </Anchor>
        </>
      ),
    },
    request.error_message !== undefined && { name: "Message", value: request.error_message },
    param !== undefined && { name: "At fault", value: <span className="mono">{param}</span> },
    id !== undefined && { name: "Generation", value: <GenerationLink id={id} /> },
  ];
  return (
    <Dialog title={`${request.method} ${request.path}`} onClose={onClose}>
      <DetailList details={details} />
    </Dialog>
  );
}
