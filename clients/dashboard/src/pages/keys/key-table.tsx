/** The table of API keys, with a menu on each active key to restrict, limit, rename, rotate or revoke it. */
import { ActionIcon, Badge, Group, Menu, Text } from "@mantine/core";
import { Ban, Ellipsis, Gauge, Pencil, RefreshCw, ShieldCheck } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { ApiKey } from "../../api/client.ts";
import { DataTable } from "../../components/data-table.tsx";
import { Dialog, FormDialog } from "../../components/dialog.tsx";
import { field, NameInput } from "../../components/form/form.tsx";
import { LimitsForm } from "../../components/limits-form.tsx";
import { QueryResult } from "../../components/states.tsx";
import { Creator, Note, RelativeTime } from "../../components/texts.tsx";
import type { Limit } from "../../data/generation.ts";
import { useAnswer } from "../../data/queries.ts";
import { isReplacedBy } from "../../data/rotation.ts";
import { useScope } from "../../data/scope.ts";
import { dateTime, day, tokens } from "../../data/value-format.ts";
import { Ends, RotateKey } from "./create-key.tsx";
import { PermissionFields, permissionText } from "./permission-fields.tsx";

type KeyProps = { apiKey: ApiKey; onClose: () => void };

/** What the menu of a key has, each with its dialog and the operation that it is for. */
const ACTIONS = [
  { label: "Permissions", icon: ShieldCheck, needs: "setKeyPermissions", Dialog: KeyPermissions },
  { label: "Token limits", icon: Gauge, needs: "setKeyLimits", Dialog: KeyLimits },
  { label: "Rename", icon: Pencil, needs: "renameKey", Dialog: RenameKey },
  { label: "Rotate", icon: RefreshCw, needs: "rollKey", Dialog: RotateKey },
  { label: "Revoke", icon: Ban, needs: "revokeKey", Dialog: RevokeKey },
] as const;

type Action = (typeof ACTIONS)[number];

export function KeyTable({ apiKeys, empty }: { apiKeys: readonly ApiKey[]; empty: ReactNode }) {
  const [chosen, setChosen] = useState<{ apiKey: ApiKey; action: Action }>();
  const limits = useAnswer("retrieveLimits", {}).data?.limits ?? [];
  return (
    <>
      <DataTable
        label="API keys"
        rows={apiKeys}
        empty={empty}
        columns={[
          {
            head: "Name",
            cell: (apiKey) => (
              <Name
                apiKey={apiKey}
                next={apiKeys.find((other) => isReplacedBy(apiKey, other))}
                limits={limits.filter((one) => one.key_id === apiKey.id)}
              />
            ),
          },
          { head: "Key", from: 500, below: true, cell: (apiKey) => <Ends apiKey={apiKey} /> },
          {
            head: "Created",
            from: 800,
            cell: ({ created_at: at, created_by: creator }) => (
              <>
                {day(at)}
                <Creator creator={creator} />
              </>
            ),
          },
          {
            head: "Last used",
            width: 110,
            from: 500,
            cell: lastUse,
            below: (apiKey) => <>Used: {lastUse(apiKey)}</>,
          },
          {
            head: "Works until",
            from: 800,
            cell: expiry,
            below: (apiKey) => <>Works until: {expiry(apiKey)}</>,
          },
          {
            width: 48,
            actions: (apiKey) => (
              <Actions apiKey={apiKey} onChoice={(action) => setChosen({ apiKey, action })} />
            ),
          },
        ]}
      />
      {chosen && (
        <chosen.action.Dialog apiKey={chosen.apiKey} onClose={() => setChosen(undefined)} />
      )}
    </>
  );
}

type NameProps = { apiKey: ApiKey; next: ApiKey | undefined; limits: readonly Limit[] };

function Name({ apiKey, next, limits }: NameProps) {
  const restriction = permissionText(apiKey.permissions);
  const most = limits.map((limit) => `${tokens(limit.tokens)} a ${limit.period}`);
  return (
    <>
      <Group gap="xs">
        <Text size="sm" fw={550}>
          {apiKey.name}
        </Text>
        {apiKey.revoked_at && <Badge color="gray">revoked</Badge>}
        {next && <Badge color="yellow">replaced</Badge>}
      </Group>
      {next && (
        <Note>
          by <Ends apiKey={next} />
        </Note>
      )}
      {restriction && <Note>{restriction}</Note>}
      {most.length > 0 && <Note>Uses at most {most.join(", ")}</Note>}
    </>
  );
}

function lastUse({ last_used_at: at }: ApiKey) {
  return at ? <RelativeTime time={at} /> : "never";
}

function expiry({ expires_at: at }: ApiKey) {
  if (at === undefined) return "you revoke it";
  return Date.parse(at) > Date.now() ? dateTime(at) : <Badge color="red">expired</Badge>;
}

function Actions({ apiKey, onChoice }: { apiKey: ApiKey; onChoice: (action: Action) => void }) {
  const { may } = useScope();
  // Only live Tokens have limits.
  const items = ACTIONS.filter(
    ({ needs }) => may(needs) && (needs !== "setKeyLimits" || apiKey.mode === "live"),
  );
  if (apiKey.revoked_at || items.length === 0) return null;
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${apiKey.name}`}>
          <Ellipsis size={17} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {items.map((action) => (
          <Menu.Item
            key={action.label}
            c={action.needs === "revokeKey" ? "var(--mantine-color-error)" : undefined}
            leftSection={<action.icon size={15} aria-hidden />}
            onClick={() => onChoice(action)}
          >
            {action.label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function KeyLimits({ apiKey, onClose }: KeyProps) {
  const query = useAnswer("retrieveLimits", {});
  return (
    <Dialog onClose={onClose} title={`Limits of ${apiKey.name}`}>
      <Text size="sm" mb="md">
        A request with this key that would exceed a limit is refused. The account's limits apply
        too.
      </Text>
      <QueryResult query={query}>
        {({ limits }) => (
          <LimitsForm
            limits={limits.filter(({ key_id: keyId }) => keyId === apiKey.id)}
            onSaved={onClose}
            save={(call, body) => call("setKeyLimits", { key_id: apiKey.id, body })}
          />
        )}
      </QueryResult>
    </Dialog>
  );
}

function RevokeKey({ apiKey, onClose }: KeyProps) {
  return (
    <FormDialog
      title={`Revoke ${apiKey.name} (…${apiKey.last_four})?`}
      text={
        <>
          Requests with <Ends apiKey={apiKey} />, created {dateTime(apiKey.created_at)}, are refused
          within a second. This cannot be undone.
        </>
      }
      action="Revoke"
      isDangerous
      run={(call) => call("revokeKey", { key_id: apiKey.id })}
      onClose={onClose}
    />
  );
}

function RenameKey({ apiKey, onClose }: KeyProps) {
  return (
    <FormDialog
      title="Rename the key"
      action="Rename"
      run={(call, form) =>
        call("renameKey", { key_id: apiKey.id, body: { name: field(form, "name") } })
      }
      onClose={onClose}
    >
      <NameInput
        defaultValue={apiKey.name}
        onFocus={({ currentTarget }) => currentTarget.select()}
        data-autofocus
      />
    </FormDialog>
  );
}

function KeyPermissions({ apiKey, onClose }: KeyProps) {
  const [permissions, setPermissions] = useState(apiKey.permissions);
  return (
    <FormDialog
      title={`Permissions of ${apiKey.name}`}
      text="Requests for anything else are refused within a second."
      action="Save permissions"
      run={(call) => call("setKeyPermissions", { key_id: apiKey.id, body: permissions })}
      onClose={onClose}
    >
      <PermissionFields value={permissions} onChange={setPermissions} />
    </FormDialog>
  );
}
