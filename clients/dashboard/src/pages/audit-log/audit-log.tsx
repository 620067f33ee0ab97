/** Settings, Audit log: who changed what in the account, filtered. */
import { Badge, Card, Group, Select, Text } from "@mantine/core";
import { ScrollText } from "lucide-react";
import type { operations } from "#gen/openapi/dashboard.ts";
import { api, type Schemas, unwrap } from "../../api/client.ts";
import { DataList, Empty } from "../../components/states.tsx";
import { Below, DataTable } from "../../components/data-table.tsx";
import { DayFields } from "../../components/filter-fields.tsx";
import { PageHead } from "../../components/page-head.tsx";
import { RelativeTime } from "../../components/texts.tsx";
import { daysIn, spanOf } from "../../data/url.ts";
import { useUrlQuery } from "../../data/url-query.ts";
import { queryKeys, useList } from "../../data/queries.ts";
import { useScope } from "../../data/scope.ts";

type Entry = Schemas["AuditEntry"];
type Filter = Omit<
  NonNullable<operations["listAuditEntries"]["parameters"]["query"]>,
  "limit" | "after"
>;

const NO_FILTER = { action: undefined, actor: undefined, from: undefined, to: undefined };

export default function AuditLog() {
  const [query, change] = useUrlQuery();
  const action = ACTION_CHOICES.find(({ value }) => value === query.get("action"))?.value;
  const actor = ACTOR_CHOICES.find(({ value }) => value === query.get("actor"))?.value;
  const days = daysIn(query);
  const set = { ...(action && { action }), ...(actor && { actor }), ...spanOf(days) };
  const entries = useEntries(set);
  return (
    <>
      <PageHead title="Audit log">
        Who changed what in this account, newest first. Nobody can change or delete an entry.
      </PageHead>
      <Card padding="md">
        <Group mb="md" gap="sm">
          <Select
            aria-label="Action"
            placeholder="Any action"
            clearable
            flex="1 1 200px"
            maw={320}
            data={ACTION_CHOICES}
            value={action ?? null}
            onChange={(chosen) => change({ action: chosen ?? undefined })}
          />
          <Select
            aria-label="By"
            placeholder="By anyone"
            clearable
            flex="1 1 160px"
            maw={240}
            data={ACTOR_CHOICES}
            value={actor ?? null}
            onChange={(chosen) => change({ actor: chosen ?? undefined })}
          />
          <DayFields days={days} onChange={change} />
        </Group>
        <DataList
          list={entries}
          empty={<Empty icon={ScrollText} title="No entries" />}
          onClear={Object.keys(set).length > 0 ? () => change(NO_FILTER) : undefined}
        >
          {(shown) => (
            <DataTable
              label="Audit log"
              rows={shown}
              keyOf={({ id }) => id}
              columns={[
                { head: "What", cell: (entry) => <What entry={entry} /> },
                { head: "Who", from: 620, cell: actorName },
                {
                  head: "Address",
                  from: 800,
                  cell: ({ address }) => <span className="mono">{address}</span>,
                },
                {
                  head: "Time",
                  isRight: true,
                  cell: ({ created_at: at }) => <RelativeTime time={at} />,
                },
              ]}
            />
          )}
        </DataList>
      </Card>
    </>
  );
}

function useEntries(filter: Filter) {
  const { account, params } = useScope();
  return useList({
    queryKey: [...queryKeys.auditLog(account.id), filter],
    read: (page) => {
      const query = { ...filter, ...page };
      return unwrap(
        api.GET("/accounts/{account_id}/audit-log", { params: { path: params.path, query } }),
      );
    },
    idOf: ({ id }) => id,
  });
}

function What({ entry }: { entry: Entry }) {
  const { action, target, mode, details = {}, error } = entry;
  const more = Object.entries(details).map(([name, value]) => `${name}: ${value}`);
  return (
    <>
      <Group gap="xs">
        <Text size="sm" fw={550}>
          {actionName(action)}
        </Text>
        {mode && <Badge color={mode === "live" ? "teal" : "amber"}>{mode}</Badge>}
        {error && <Badge color="red">failed: {error}</Badge>}
      </Group>
      {target && (
        <Text size="xs" c="dimmed" className="mono">
          {target}
        </Text>
      )}
      {more.length > 0 && (
        <Text size="xs" c="dimmed">
          {more.join(", ")}
        </Text>
      )}
      <Below width={620}>
        <Text size="xs">by {actorName(entry)}</Text>
      </Below>
    </>
  );
}

function actorName({ actor: { type, email } }: Entry): string {
  if (type === "user") return email ?? "";
  return type === "operator" ? "an operator of the service" : "the service itself";
}

type Action = Schemas["AuditAction"];
type Actor = Schemas["AuditActorType"];

/** Covers every action of the document, or this does not compile. */
const ACTIONS: Record<Action, string> = {
  "account.create": "Created the account",
  "account.rename": "Renamed the account",
  "account.grant_production": "Granted production access",
  "account.suspend": "Suspended the account",
  "account.restore": "Restored the account",
  "account.set_limits": "Set the limits",
  "request.create": "Asked operators",
  "request.answer": "Answered a request",
  "member.join": "Joined",
  "member.change_role": "Changed a role",
  "member.remove": "Removed a member",
  "member.leave": "Left",
  "member.reset_password": "Made a link for a new password",
  "member.disable": "Disabled a member's sign-in",
  "member.enable": "Enabled a member's sign-in",
  "member.end_sessions": "Ended a member's sessions",
  "invitation.create": "Invited someone",
  "invitation.withdraw": "Withdrew an invitation",
  "invitation.expire": "An invitation expired",
  "key.create": "Created an API key",
  "key.rename": "Renamed an API key",
  "key.set_permissions": "Set what an API key may do",
  "key.roll": "Replaced an API key",
  "key.revoke": "Revoked an API key",
  "limits.set": "Set limits of Tokens",
  "alerts.set": "Set alerts",
  "webhook_secret.rotate": "Rotated a signing secret",
  "webhook_url.enable": "Enabled a webhook URL",
  "webhook_url.disable": "Disabled a webhook URL",
  "balance.recharge": "Recharged the balance",
  "balance.adjust": "Corrected the balance",
  "discount.set": "Set a discount",
  "files.set_retention": "Set how long files are kept",
  "files.set_limit": "Set how much may be stored",
  "content.set_retention": "Set how long prompts and webhooks are kept",
  "files.delete": "Deleted files",
  "generation.delete": "Deleted a generation",
  "task.make_due": "Made a generation due",
  "task.fail": "Ended a generation",
};

const ACTORS: Record<Actor, string> = {
  user: "users",
  operator: "operators of the service",
  system: "the service itself",
};

const actionName = (action: Action): string => ACTIONS[action];

const ACTION_CHOICES = choicesOf(ACTIONS);
const ACTOR_CHOICES = choicesOf(ACTORS);

/** The choices of a select. */
function choicesOf<T extends string>(names: Record<T, string>): { value: T; label: string }[] {
  return (Object.entries(names) as [T, string][]).map(([value, label]) => ({ value, label }));
}
