/** All that is kept of a request, with links to its generation and to what its error means. */
import { Anchor, Badge } from "@mantine/core";
import { Link } from "react-router";
import type { Schemas } from "../../api/client.ts";
import { CopyText, type Detail, DetailList } from "../../components/texts.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { dateTime, tokens } from "../../components/value-format.ts";
import { useScope } from "../../data/scope.ts";

type Entry = Schemas["RequestLogEntry"];
type Props = { entry: Entry; onClose: () => void };

export function RequestDetails({ entry, onClose }: Props) {
  const { request } = entry;
  return (
    <Dialog isOpen title={`${request.method} ${request.path}`} onClose={onClose}>
      <DetailList details={[...factsOf(entry), ...resultsOf(request)]} />
    </Dialog>
  );
}

function factsOf({ request, key_name: keyName }: Entry): Detail[] {
  const { request_id: requestId, key_id: keyId, mode, created_at: at } = request;
  return [
    { name: "Request-Id", value: <Id id={requestId} label="Copy the Request-Id" /> },
    { name: "API key", value: `${keyName ?? ""} ${keyId}`.trim() },
    { name: "Mode", value: mode },
    { name: "Answered", value: dateTime(at) },
    { name: "Duration", value: `${tokens(request.duration_ms)} ms` },
  ];
}

function resultsOf(request: Entry["request"]): Detail[] {
  const {
    status,
    error_code: errorCode,
    error_param: param,
    generation_id: generationId,
  } = request;
  return [
    { name: "Status", value: <Badge color={colorOf(status)}>{status}</Badge> },
    ...(errorCode ? [{ name: "Error", value: <ErrorLink code={errorCode} /> }] : []),
    ...(param ? [{ name: "At fault", value: <span className="mono">{param}</span> }] : []),
    ...(generationId ? [{ name: "Generation", value: <GenerationLink id={generationId} /> }] : []),
  ];
}

function Id({ id, label }: { id: string; label: string }) {
  return (
    <>
      <span className="mono">{id}</span> <CopyText value={id} label={label} />
    </>
  );
}

function ErrorLink({ code }: { code: string }) {
  return (
    <>
      <span className="mono">{code}</span>{" "}
      <Anchor href={`/docs/errors#${code}`} size="sm">
        What it means
      </Anchor>
    </>
  );
}

function GenerationLink({ id }: { id: string }) {
  const { to } = useScope();
  return (
    <Anchor component={Link} to={to(`generations/${id}`)} size="sm" className="mono">
      {id}
    </Anchor>
  );
}

/** The color of a status. */
export function colorOf(status: number): string {
  if (status >= 500) return "red";
  return status >= 400 ? "amber" : "teal";
}
