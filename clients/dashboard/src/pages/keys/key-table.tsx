/** The table of API keys, with a menu on each active key to restrict, limit, rename, roll or revoke it. */
import { ActionIcon, Badge, Group, Menu, Table, Text, VisuallyHidden } from "@mantine/core";
import { Ban, Ellipsis, Gauge, Pencil, RefreshCw, ShieldCheck } from "lucide-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { ApiKey, Schemas } from "../../api/client.ts";
import { dateTime, day, tokens } from "../../components/value-format.ts";
import { Creator } from "../../components/creator.tsx";
import { RelativeTime } from "../../components/relative-time.tsx";
import { useScope } from "../../data/scope.ts";
import { limitsQuery } from "../../data/queries.ts";
import { KeyPermissions } from "./key-permissions.tsx";
import { permissionText } from "./permission-fields.tsx";
import { KeyLimits } from "./key-limits.tsx";
import { RenameKey } from "./rename-key.tsx";
import { RollKey } from "./roll-key.tsx";
import { RevokeKey } from "./revoke-key.tsx";

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
      <Table aria-label="API keys">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Name</Table.Th>
            <Table.Th>Key</Table.Th>
            <Table.Th visibleFrom="md">Created</Table.Th>
            <Table.Th w={110} visibleFrom="sm">
              Last used
            </Table.Th>
            <Table.Th visibleFrom="md">Expires</Table.Th>
            <Table.Th w={48}>
              <VisuallyHidden>Actions</VisuallyHidden>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {apiKeys.map((apiKey) => (
            <Row
              key={apiKey.id}
              apiKey={apiKey}
              limits={limits.filter(({ key_id: keyId }) => keyId === apiKey.id)}
              onChoice={setChosen}
            />
          ))}
        </Table.Tbody>
      </Table>
      {chosen?.action === "permit" && <KeyPermissions apiKey={chosen.apiKey} onClose={close} />}
      {chosen?.action === "limit" && <KeyLimits apiKey={chosen.apiKey} onClose={close} />}
      {chosen?.action === "rename" && <RenameKey apiKey={chosen.apiKey} onClose={close} />}
      {chosen?.action === "roll" && <RollKey apiKey={chosen.apiKey} onClose={close} />}
      {chosen?.action === "revoke" && <RevokeKey apiKey={chosen.apiKey} onClose={close} />}
    </>
  );
}

type Limits = Schemas["AccountLimits"]["limits"];
type RowProps = { apiKey: ApiKey; limits: Limits; onChoice: (chosen: ChosenAction) => void };

function Row({ apiKey, limits, onChoice }: RowProps) {
  const { may } = useScope();
  const mayLimit = apiKey.mode === "live" && may("setKeyLimits");
  const { name, prefix, last_four: lastFour } = apiKey;
  const { expires_at: expiresAt, revoked_at: revokedAt } = apiKey;
  const restriction = permissionText(apiKey.permissions);
  return (
    <Table.Tr c={revokedAt ? "dimmed" : undefined}>
      <Table.Td>
        <Group gap="xs">
          <Text size="sm" fw={550}>
            {name}
          </Text>
          {revokedAt && <Badge color="gray">revoked</Badge>}
          {!revokedAt && expiresAt && isSoon(expiresAt) && (
            <Badge color="amber">expires {dateTime(expiresAt)}</Badge>
          )}
        </Group>
        <Text size="xs" c="dimmed" hiddenFrom="sm" component="div">
          Used: {apiKey.last_used_at ? <RelativeTime time={apiKey.last_used_at} /> : "never"}.
          Expires: {expiresAt ? <Expiry at={expiresAt} /> : "never"}.
        </Text>
        {restriction && <Note text={restriction} />}
        {limits.length > 0 && <Note text={limitsText(limits)} />}
      </Table.Td>
      <Table.Td className="mono" style={{ whiteSpace: "nowrap" }}>
        {prefix}…{lastFour}
      </Table.Td>
      <Table.Td visibleFrom="md">
        {day(apiKey.created_at)}
        <Creator creator={apiKey.created_by} />
      </Table.Td>
      <Table.Td visibleFrom="sm">
        {apiKey.last_used_at ? <RelativeTime time={apiKey.last_used_at} /> : "never"}
      </Table.Td>
      <Table.Td visibleFrom="md">{expiresAt ? <Expiry at={expiresAt} /> : "never"}</Table.Td>
      <Table.Td>
        {!revokedAt && (mayLimit || may("revokeKey")) && (
          <Menu position="bottom-end" withinPortal>
            <Menu.Target>
              <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${name}`}>
                <Ellipsis size={17} aria-hidden />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              {may("setKeyPermissions") && (
                <Menu.Item
                  leftSection={<ShieldCheck size={15} aria-hidden />}
                  onClick={() => onChoice({ apiKey, action: "permit" })}
                >
                  Permissions
                </Menu.Item>
              )}
              {mayLimit && (
                <Menu.Item
                  leftSection={<Gauge size={15} aria-hidden />}
                  onClick={() => onChoice({ apiKey, action: "limit" })}
                >
                  Token limits
                </Menu.Item>
              )}
              {may("renameKey") && (
                <Menu.Item
                  leftSection={<Pencil size={15} aria-hidden />}
                  onClick={() => onChoice({ apiKey, action: "rename" })}
                >
                  Rename
                </Menu.Item>
              )}
              {may("rollKey") && (
                <Menu.Item
                  leftSection={<RefreshCw size={15} aria-hidden />}
                  onClick={() => onChoice({ apiKey, action: "roll" })}
                >
                  Roll
                </Menu.Item>
              )}
              {may("revokeKey") && (
                <Menu.Item
                  c="var(--mantine-color-error)"
                  leftSection={<Ban size={15} aria-hidden />}
                  onClick={() => onChoice({ apiKey, action: "revoke" })}
                >
                  Revoke
                </Menu.Item>
              )}
            </Menu.Dropdown>
          </Menu>
        )}
      </Table.Td>
    </Table.Tr>
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
