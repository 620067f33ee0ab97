/** Requests: what the API keys of this mode asked for, and how it was answered. */
import { Anchor, Badge, Card, Group } from "@mantine/core";
import { Activity } from "lucide-react";
import { ERROR_STATUSES } from "#gen/openapi/limits.ts";
import type { Schemas } from "../../api/client.ts";
import { DataTable } from "../../components/data-table.tsx";
import { FilterFields, keyOptions, useFilters } from "../../components/filter-fields.tsx";
import { RefusalContext } from "../../components/form/form.tsx";
import { PageHead } from "../../components/page-head.tsx";
import { Empty, RowsLoading } from "../../components/states.tsx";
import { CopyText, GenerationLink, Note, TextLink, Words } from "../../components/texts.tsx";
import { keyLabel } from "../../data/generation.ts";
import { useApiKeys, useList } from "../../data/queries.ts";
import { idIn, loggedPath, requestQuery } from "../../data/url.ts";
import { dateTime, tokens } from "../../data/value-format.ts";

type Entry = Schemas["RequestLogEntry"];

const idOf = ({ request }: Entry) => request.id;

export default function Requests() {
  const filters = useRequestFilters();
  const requests = useList("listRequestLog", requestQuery(filters.query), { idOf });
  return (
    <>
      <PageHead title="Requests">
        What this mode&apos;s API keys asked for and how it was answered, newest first. Bodies and
        queries are not kept.
      </PageHead>
      <Card padding="md">
        <RefusalContext value={requests.error}>
          <FilterFields filters={filters} />
        </RefusalContext>
        <DataTable
          label="Requests"
          list={requests}
          loading={<RowsLoading rows={8} height={46} />}
          keyOf={idOf}
          onClear={filters.onClear}
          empty={
            <Empty icon={Activity} title="No requests yet">
              Requests appear here a moment after they were answered.
            </Empty>
          }
          columns={[
            { head: "Request", cell: askedFor },
            { head: "Key", width: 120, from: 800, below: true, cell: keyOf },
            { head: "Time", width: 250, isRight: true, from: 500, below: true, cell: timeOf },
          ]}
        />
      </Card>
    </>
  );
}

const STATUSES = ["2xx", "4xx", "5xx", ...ERROR_STATUSES];

function useRequestFilters() {
  const { keys } = useApiKeys();
  return useFilters([
    {
      name: "request_id",
      label: "Request-Id or generation",
      hint: "Paste a Request-Id (req_…) or a generation's id (vgen_…, igen_…), or a URL or an error with one.",
      maxLength: 4_000,
      changesFor: (text) => ({ request_id: idIn(text, ["req", "vgen", "igen"]) ?? text }),
    },
    { name: "status", label: "Status", data: STATUSES },
    { name: "method", label: "Method", data: ["GET", "POST", "PUT", "PATCH", "DELETE"] },
    { name: "path", label: "Path, with {id} for ids", maxLength: 200, changesFor: loggedPath },
    { name: "key", label: "Key", data: keyOptions(keys), isLoaded: true },
  ]);
}

const keyOf = ({ request, ...entry }: Entry) => (
  <TextLink to={`?key=${request.key_id}`}>{keyLabel({ ...request, ...entry })}</TextLink>
);
const timeOf = ({ request }: Entry) => (
  <Note>
    {dateTime(request.created_at)} · {tokens(request.duration_ms)} ms
  </Note>
);

function askedFor({ request }: Entry) {
  const { status, error_code: errorCode, generation_id: generationId } = request;
  return (
    <>
      <Badge color={status >= 500 ? "red" : status >= 400 ? "yellow" : "teal"} mr="xs">
        {status}
      </Badge>
      <span className="mono">
        {request.method}{" "}
        <TextLink to={`?path=${encodeURIComponent(request.path)}`}>{request.path}</TextLink>
      </span>
      <Group gap={4} fz="xs">
        <Note className="mono" truncate>
          {request.request_id}
        </Note>
        <CopyText value={request.request_id} label={`Copy ${request.request_id}`} />
        {generationId && <GenerationLink id={generationId} />}
      </Group>
      {errorCode && (
        <Note>
          <Anchor href={`/docs/errors#${errorCode}`} underline="always" inherit>
            <Words text={errorCode} />
          </Anchor>{" "}
          {request.error_message} {request.error_param && `(${request.error_param})`}
        </Note>
      )}
    </>
  );
}
