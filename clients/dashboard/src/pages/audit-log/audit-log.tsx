/** Settings, Audit log: who changed what in the account, filtered. */
import { Badge, Card, Group, Text } from "@mantine/core";
import { ScrollText } from "lucide-react";
import type { Schemas } from "../../api/client.ts";
import { DataTable } from "../../components/data-table.tsx";
import { FilterFields, optionsOf, useFilters } from "../../components/filter-fields.tsx";
import { PageHead } from "../../components/page-head.tsx";
import { Empty } from "../../components/states.tsx";
import { Note, Words } from "../../components/texts.tsx";
import { useList } from "../../data/queries.ts";

type Entry = Schemas["AuditEntry"];

export default function AuditLog() {
  const filters = useFilters([
    { name: "action", label: "Action", data: optionsOf(ACTIONS) },
    { name: "actor", label: "Actor", data: optionsOf(ACTORS) },
  ]);
  const entries = useList("listAuditEntries", filters.query);
  return (
    <>
      <PageHead title="Audit log">
        Who changed what in this account, newest first. Nobody can change or delete an entry.
      </PageHead>
      <Card padding="md">
        <FilterFields filters={filters} />
        <DataTable
          label="Audit log"
          list={entries}
          empty={<Empty icon={ScrollText} title="No entries" />}
          onClear={filters.onClear}
          columns={[
            { head: "What", cell: whatOf },
            {
              head: "Who",
              width: "25%",
              from: 500,
              cell: whoOf,
              below: (entry) => <>by {whoOf(entry)}</>,
            },
            {
              head: "Address",
              width: 150,
              from: 800,
              cell: ({ address }) => <span className="mono">{address}</span>,
            },
            { head: "Time", time: ({ created_at: at }) => at, from: 500, below: true },
          ]}
        />
      </Card>
    </>
  );
}

function whatOf({ action, target, mode, details = {}, error }: Entry) {
  const more = Object.entries(details).map(([name, value]) => `${name}: ${value}`);
  return (
    <>
      <Group gap="xs">
        <Text size="sm" fw={550}>
          {ACTIONS[action]}
        </Text>
        {mode && <Badge color={mode === "live" ? "teal" : "yellow"}>{mode}</Badge>}
      </Group>
      {error && <Note c="var(--mantine-color-error)">failed: {error}</Note>}
      {target && <Note className="mono">{target}</Note>}
      {more.length > 0 && <Note>{more.join(", ")}</Note>}
    </>
  );
}

function whoOf({ actor: { type, email = "" } }: Entry) {
  if (type === "user") return <Words text={email} />;
  return type === "operator" ? "an operator of the service" : "the service itself";
}

/** Covers every action of the document, or this does not compile. */
const ACTIONS: Record<Schemas["AuditAction"], string> = {
  "account.create": "Created the account",
  "account.rename": "Renamed the account",
  "account.set_confirmation": "Set when the playground asks",
  "account.grant_production": "Granted production access",
  "account.suspend": "Suspended the account",
  "account.unsuspend": "Ended the suspension of the account",
  "account.delete": "Deleted the account",
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
  "member.delete": "Deleted a member's user",
  "member.restore": "Restored a member's user",
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

const ACTORS: Record<Schemas["AuditActorType"], string> = {
  user: "users",
  operator: "operators of the service",
  system: "the service itself",
};
