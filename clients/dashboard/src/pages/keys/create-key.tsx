/** The dialogs that create a key, or replace one: a form, then the complete key, shown once. */
import { Alert, Button, Code, Group, Select, Stack } from "@mantine/core";
import { TriangleAlert } from "lucide-react";
import { useState } from "react";
import { curlSample } from "../../../../samples/sample-languages.ts";
import type { ApiKey, Schemas } from "../../api/client.ts";
import { ActionForm, type ActionFormProps } from "../../components/action-form.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { NameInput, TextInput, field } from "../../components/form/form.tsx";
import { LimitFields, limitsIn } from "../../components/limits-form.tsx";
import { CodeBlock, CopyText } from "../../components/texts.tsx";
import type { Call } from "../../data/queries.ts";
import { useFirstRequest } from "../../data/samples.ts";
import { useScope } from "../../data/scope.ts";
import { GRACE_HOURS, HOUR_MS } from "../../data/rotation.ts";
import { dateTime, day } from "../../data/value-format.ts";
import { PermissionFields, type Permissions } from "./permission-fields.tsx";

type Created = Schemas["CreatedApiKey"];

export function CreateKey({ onClose }: { onClose: () => void }) {
  const { mode } = useScope();
  const [permissions, setPermissions] = useState<Permissions>({ access: "full" });
  const create = (call: Call, form: FormData) => {
    const lastDay = field(form, "expires_on");
    return call("createApiKey", {
      body: {
        name: field(form, "name"),
        mode,
        ...(lastDay && { expires_at: `${lastDay}T23:59:59.000Z` }),
        permissions,
        ...(mode === "live" && { limits: limitsIn(form) }),
      },
    });
  };
  return (
    <NewKeyDialog
      title={`Create an API key of ${mode} mode`}
      action="Create key"
      run={create}
      onClose={onClose}
    >
      <NameInput placeholder="Production server" data-autofocus />
      <TextInput
        type="date"
        name="expires_on"
        label="Last day"
        description="It works until the end of this day, UTC. Without a day it does not expire."
        min={new Date().toISOString().slice(0, 10)}
      />
      <PermissionFields value={permissions} onChange={setPermissions} />
      {mode === "live" && permissions.access === "full" && <LimitFields limits={[]} />}
    </NewKeyDialog>
  );
}

/** What tells a key from others without being the key. */
export function Ends({ apiKey: { prefix, last_four: lastFour } }: { apiKey: ApiKey }) {
  return (
    <span className="mono" style={{ whiteSpace: "nowrap" }}>
      {prefix}…{lastFour}
    </span>
  );
}

export function RotateKey({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const [graceHours, setGraceHours] = useState("24");
  return (
    <NewKeyDialog
      title={`Rotate ${apiKey.name}`}
      action="Rotate key"
      run={(call) =>
        call("rollKey", { key_id: apiKey.id, body: { grace_hours: Number(graceHours) } })
      }
      onClose={onClose}
    >
      <span>
        A new key with the same name, permissions and limits takes the place of{" "}
        <Ends apiKey={apiKey} />. Put it on your servers while the old one still works.
      </span>
      <Select
        label="The old key works"
        data-autofocus
        allowDeselect={false}
        data={GRACE_HOURS}
        value={graceHours}
        onChange={(chosen) => setGraceHours(chosen ?? graceHours)}
      />
      <span>
        The old key stops {oldEnd(apiKey, Number(graceHours))}. The new key {newEnd(apiKey)}.
      </span>
    </NewKeyDialog>
  );
}

function oldEnd({ expires_at: until }: ApiKey, graceHours: number): string {
  const end = Date.now() + graceHours * HOUR_MS;
  return graceHours === 0
    ? "at once"
    : dateTime(until !== undefined && Date.parse(until) < end ? until : end);
}

function newEnd({ created_at: from, expires_at: until }: ApiKey): string {
  if (until === undefined) return "does not expire";
  const lifeMs = Date.parse(until) - Date.parse(from);
  return `works until ${day(Date.now() + lifeMs)}: as long from now as the old one was made for`;
}

type DialogProps = Pick<ActionFormProps<Created>, "action" | "run" | "children"> & {
  title: string;
  onClose: () => void;
};

/** Closing it removes the key from memory. */
function NewKeyDialog({ title, onClose, children, ...form }: DialogProps) {
  const [created, setCreated] = useState<Created>();
  return (
    <Dialog
      onClose={onClose}
      title={created ? "Your new key" : title}
      isDismissible={created === undefined}
    >
      {created ? (
        <NewKey created={created} onDone={onClose} />
      ) : (
        <ActionForm {...form} onDone={setCreated} onCancel={onClose}>
          {children}
        </ActionForm>
      )}
    </Dialog>
  );
}

function NewKey({ created: { key, secret }, onDone }: { created: Created; onDone: () => void }) {
  const request = useFirstRequest(key.permissions);
  const isCharged = key.mode === "live" && request.method === "POST";
  return (
    <Stack>
      <Alert color="yellow" icon={<TriangleAlert aria-hidden />} title="Copy it now">
        The key is shown only this once. Keep it on your server, never in a web page or an app.
      </Alert>
      <Code block fz={13} data-testid="new-key" style={{ whiteSpace: "normal" }}>
        {secret}
      </Code>
      <Group justify="space-between">
        <CopyText value={secret} label="Copy the key" isMain />
        <Button onClick={onDone}>I have saved it</Button>
      </Group>
      <CodeBlock
        label={isCharged ? "First request (it is charged)" : "First request"}
        code={`export MEDIA_API_KEY=${secret}\n${curlSample(request)}`}
      />
    </Stack>
  );
}
