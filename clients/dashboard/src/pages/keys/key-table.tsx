/** The table of API keys, with a menu on each active key to restrict, limit, rename, roll or revoke it. */
import { ActionIcon, Badge, Group, Menu, Stack, Text } from "@mantine/core";
import { Ban, Ellipsis, Gauge, Pencil, RefreshCw, ShieldCheck } from "lucide-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, type ApiKey, type Schemas, unwrap } from "../../api/client.ts";
import { dateTime, day, tokens } from "../../components/value-format.ts";
import { Below, DataTable } from "../../components/data-table.tsx";
import { Creator, RelativeTime } from "../../components/texts.tsx";
import { useScope } from "../../data/scope.ts";
import { limitsQuery, queryKeys } from "../../data/queries.ts";
import { refetch } from "../../data/refetch.ts";
import { PermissionFields, permissionText } from "./permission-fields.tsx";
import { RenameKey } from "./rename-key.tsx";
import { RollKey } from "./roll-key.tsx";
import { ConfirmDialog, Dialog } from "../../components/dialog.tsx";
import { LimitsForm } from "../../components/limits-form.tsx";
import { Failure, QueryResult } from "../../components/states.tsx";
import { DialogButtons, Form, onSubmit as submitting } from "../../components/form/form.tsx";

/** The hour counts for a key that was rolled. */
const SOON_MS = 8 * 86_400_000;

type ChosenAction = { apiKey: ApiKey; action: "permit" | "limit" | "rename" | "roll" | "revoke" };

export function KeyTable({ apiKeys }: { apiKeys: readonly ApiKey[] }) {
  const [chosen, setChosen] = useState<ChosenAction>();
  const close = () => setChosen(undefined);
  const { account } = useScope();
  const limits = useQuery(limitsQuery(account.id)).data?.limits ?? [];
  return (
    <>
      <DataTable
        label="API keys"
        rows={apiKeys}
        keyOf={({ id }) => id}
        isDimmed={({ revoked_at: revokedAt }) => revokedAt !== undefined}
        columns={[
          {
            head: "Name",
            cell: (apiKey) => (
              <Name
                apiKey={apiKey}
                limits={limits.filter(({ key_id: keyId }) => keyId === apiKey.id)}
              />
            ),
          },
          {
            head: "Key",
            cell: ({ prefix, last_four: lastFour }) => (
              <span className="mono" style={{ whiteSpace: "nowrap" }}>
                {prefix}…{lastFour}
              </span>
            ),
          },
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
            from: 620,
            cell: ({ last_used_at: at }) => (at ? <RelativeTime time={at} /> : "never"),
          },
          {
            head: "Expires",
            from: 800,
            cell: ({ expires_at: at }) => (at ? <Expiry at={at} /> : "never"),
          },
          {
            head: "Actions",
            isHeadHidden: true,
            width: 48,
            cell: (apiKey) => <Actions apiKey={apiKey} onChoice={setChosen} />,
          },
        ]}
      />
      {chosen?.action === "permit" && <KeyPermissions apiKey={chosen.apiKey} onClose={close} />}
      {chosen?.action === "limit" && <KeyLimits apiKey={chosen.apiKey} onClose={close} />}
      {chosen?.action === "rename" && <RenameKey apiKey={chosen.apiKey} onClose={close} />}
      {chosen?.action === "roll" && <RollKey apiKey={chosen.apiKey} onClose={close} />}
      {chosen?.action === "revoke" && <RevokeKey apiKey={chosen.apiKey} onClose={close} />}
    </>
  );
}

type Limits = Schemas["AccountLimits"]["limits"];

function Name({ apiKey, limits }: { apiKey: ApiKey; limits: Limits }) {
  const { name, expires_at: expiresAt, revoked_at: revokedAt } = apiKey;
  const restriction = permissionText(apiKey.permissions);
  return (
    <>
      <Group gap="xs">
        <Text size="sm" fw={550}>
          {name}
        </Text>
        {revokedAt && <Badge color="gray">revoked</Badge>}
        {!revokedAt && expiresAt && isSoon(expiresAt) && (
          <Badge color="amber">expires {dateTime(expiresAt)}</Badge>
        )}
      </Group>
      <Below width={620}>
        <Text size="xs" c="dimmed" component="div">
          Used: {apiKey.last_used_at ? <RelativeTime time={apiKey.last_used_at} /> : "never"}.
          Expires: {expiresAt ? <Expiry at={expiresAt} /> : "never"}.
        </Text>
      </Below>
      {restriction && <Note text={restriction} />}
      {limits.length > 0 && <Note text={limitsText(limits)} />}
    </>
  );
}

type ActionsProps = { apiKey: ApiKey; onChoice: (chosen: ChosenAction) => void };

function Actions({ apiKey, onChoice }: ActionsProps) {
  const { may } = useScope();
  const mayLimit = apiKey.mode === "live" && may("setKeyLimits");
  if (apiKey.revoked_at || !(mayLimit || may("revokeKey"))) return null;
  const items = [
    { action: "permit", label: "Permissions", icon: ShieldCheck, may: may("setKeyPermissions") },
    { action: "limit", label: "Token limits", icon: Gauge, may: mayLimit },
    { action: "rename", label: "Rename", icon: Pencil, may: may("renameKey") },
    { action: "roll", label: "Roll", icon: RefreshCw, may: may("rollKey") },
    { action: "revoke", label: "Revoke", icon: Ban, may: may("revokeKey") },
  ] as const;
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${apiKey.name}`}>
          <Ellipsis size={17} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {items
          .filter((item) => item.may)
          .map(({ action, label, icon: Icon }) => (
            <Menu.Item
              key={action}
              c={action === "revoke" ? "var(--mantine-color-error)" : undefined}
              leftSection={<Icon size={15} aria-hidden />}
              onClick={() => onChoice({ apiKey, action })}
            >
              {label}
            </Menu.Item>
          ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function Note({ text }: { text: string }) {
  return (
    <Text size="xs" c="dimmed">
      {text}
    </Text>
  );
}

function limitsText(limits: Limits): string {
  const parts = limits.map((limit) => `${tokens(limit.tokens)} a ${limit.period}`);
  return `Uses at most ${parts.join(", ")}`;
}

function Expiry({ at }: { at: string }) {
  if (leftMs(at) <= 0) return <Badge color="red">expired</Badge>;
  return isSoon(at) ? dateTime(at) : day(at);
}

function isSoon(at: string): boolean {
  return leftMs(at) > 0 && leftMs(at) <= SOON_MS;
}

function leftMs(at: string): number {
  return new Date(at).getTime() - Date.now();
}

function KeyLimits({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const { account, params } = useScope();
  const query = useQuery(limitsQuery(account.id));
  const path = { ...params.path, key_id: apiKey.id };
  return (
    <Dialog isOpen onClose={onClose} title={`Limits of ${apiKey.name}`}>
      <Text size="sm" mb="md">
        A request with this key that would exceed a limit is refused. The account's limits apply
        too.
      </Text>
      <QueryResult query={query}>
        {({ limits }) => (
          <LimitsForm
            limits={limits.filter(({ key_id: keyId }) => keyId === apiKey.id)}
            onSaved={onClose}
            save={(body) =>
              unwrap(
                api.PUT("/accounts/{account_id}/keys/{key_id}/limits", { params: { path }, body }),
              )
            }
          />
        )}
      </QueryResult>
    </Dialog>
  );
}

function RevokeKey({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const { account, params } = useScope();
  const client = useQueryClient();
  const path = { ...params.path, key_id: apiKey.id };
  const revoke = useMutation({
    mutationFn: () =>
      unwrap(api.DELETE("/accounts/{account_id}/keys/{key_id}", { params: { path } })),
    onSuccess: async () => {
      await refetch(client, queryKeys.apiKeys(account.id));
      onClose();
    },
  });
  return (
    <ConfirmDialog
      isOpen
      title={`Revoke ${apiKey.name} (…${apiKey.last_four})?`}
      action="Revoke"
      isPending={revoke.isPending}
      error={revoke.error}
      onConfirm={() => revoke.mutate()}
      onClose={onClose}
    >
      Requests with{" "}
      <span className="mono">
        {apiKey.prefix}…{apiKey.last_four}
      </span>
      , created {dateTime(apiKey.created_at)}, are refused within a second. This cannot be undone.
    </ConfirmDialog>
  );
}

function KeyPermissions({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const { account, params } = useScope();
  const client = useQueryClient();
  const [permissions, setPermissions] = useState(apiKey.permissions);
  const path = { ...params.path, key_id: apiKey.id };
  const save = useMutation({
    mutationFn: () =>
      unwrap(
        api.PUT("/accounts/{account_id}/keys/{key_id}/permissions", {
          params: { path },
          body: permissions,
        }),
      ),
    onSuccess: async () => {
      await refetch(client, queryKeys.apiKeys(account.id));
      onClose();
    },
  });
  return (
    <Dialog isOpen onClose={onClose} title={`Permissions of ${apiKey.name}`}>
      <Form onSubmit={submitting(() => save.mutate())}>
        <Stack>
          <Text size="sm">Requests for anything else are refused within a second.</Text>
          <PermissionFields value={permissions} onChange={setPermissions} />
          {save.error && <Failure error={save.error} />}
          <DialogButtons action="Save permissions" isPending={save.isPending} onCancel={onClose} />
        </Stack>
      </Form>
    </Dialog>
  );
}
