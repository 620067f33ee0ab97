/** Usage and billing: balances, and below them, in tabs that are in the URL, usage, transactions, and limits and alerts. */
import { Card, Divider, Group, Select, Skeleton, Stack, Tabs, Text, Title } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { PageHead } from "../../components/page-head.tsx";
import { useUrlQuery } from "../../data/url-query.ts";
import { Balances } from "../overview/balances.tsx";
import { UsageCard } from "../overview/usage-card.tsx";
import { ChargesCard } from "./charges-card.tsx";
import { StatementCard } from "./statement-card.tsx";
import { UsageGroupsCard } from "./usage-groups-card.tsx";
import { useQuery } from "@tanstack/react-query";
import { api, type Schemas, unwrap } from "../../api/client.ts";
import { LimitsForm } from "../../components/limits-form.tsx";
import { DataList, Empty, QueryResult } from "../../components/states.tsx";
import { limitsQuery, queryKeys, useList } from "../../data/queries.ts";
import { useScope } from "../../data/scope.ts";
import { AlertsForm } from "./alerts-form.tsx";
import { Receipt } from "lucide-react";
import { CsvButton } from "../../components/csv-button.tsx";
import { TransactionTable } from "../../components/transaction-table.tsx";
import { TRANSACTION_WORDS } from "../../components/transaction-words.ts";

const TABS = [
  { value: "usage", label: "Usage" },
  { value: "transactions", label: "Transactions" },
  { value: "limits", label: "Limits and alerts" },
] as const;

export default function Billing() {
  const [query, change] = useUrlQuery();
  const tab = TABS.find(({ value }) => value === query.get("tab"))?.value ?? "usage";
  return (
    <>
      <PageHead title="Usage and billing">
        Tokens are paid in advance. A generation reserves its price when it starts; if it fails,
        these Tokens are restored.
      </PageHead>
      <Stack gap="lg">
        <Balances />
        <Tabs
          value={tab}
          keepMounted={false}
          onChange={(chosen) =>
            change({ tab: chosen === "usage" ? undefined : (chosen ?? undefined) })
          }
        >
          <Tabs.List mb="lg">
            {TABS.map(({ value, label }) => (
              <Tabs.Tab key={value} value={value}>
                {label}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          <Panel value="usage">
            <UsageCard />
            <UsageGroupsCard />
            <ChargesCard />
          </Panel>
          <Panel value="transactions">
            <Transactions />
            <StatementCard />
          </Panel>
          <Panel value="limits">
            <LimitsCard />
          </Panel>
        </Tabs>
      </Stack>
    </>
  );
}

function Panel({
  value,
  children,
}: {
  value: (typeof TABS)[number]["value"];
  children: ReactNode;
}) {
  return (
    <Tabs.Panel value={value}>
      <Stack gap="lg">{children}</Stack>
    </Tabs.Panel>
  );
}

function LimitsCard() {
  const { account, params, may } = useScope();
  const { path } = params;
  const query = useQuery(limitsQuery(account.id));
  return (
    <Card component="section" aria-labelledby="limits">
      <Title order={2} id="limits" fz={16}>
        Limits and alerts of live mode
      </Title>
      <Text size="sm" c="dimmed" mb="md">
        Days and months are UTC. A request beyond a limit is refused. API keys can have limits of
        their own.
      </Text>
      <QueryResult query={query} loading={<Skeleton height={606} radius="md" />}>
        {({ limits, alerts }) => (
          <>
            <LimitsForm
              limits={limits.filter(({ scope }) => scope === "account")}
              isDisabled={!may("setLimits")}
              save={(body) =>
                unwrap(api.PUT("/accounts/{account_id}/limits", { params: { path }, body }))
              }
            />
            <Divider my="md" />
            <Text size="sm" c="dimmed" mb="sm">
              What each of your users may use, by the end_user of a request
            </Text>
            <LimitsForm
              isPerEndUser
              limits={limits.filter(({ scope }) => scope === "end_user")}
              isDisabled={!may("setEndUserLimits")}
              save={(body) =>
                unwrap(
                  api.PUT("/accounts/{account_id}/limits/end-users", { params: { path }, body }),
                )
              }
            />
            <Divider my="md" />
            <AlertsForm alerts={alerts} />
          </>
        )}
      </QueryResult>
    </Card>
  );
}

const TYPES = Object.entries(TRANSACTION_WORDS).map(([value, label]) => ({
  value: value as Schemas["TransactionType"],
  label,
}));

const API_TYPES = TYPES.map(({ value, label }) => `${value} (${label})`).join(", ");

/** Most generations have two. */
const PAGE_SIZE = 60;

function Transactions() {
  const [type, setType] = useState<Schemas["TransactionType"]>();
  const transactions = useTransactions(type);
  return (
    <Card component="section" aria-labelledby="transactions">
      <Group justify="space-between" mb="md">
        <Title order={2} id="transactions" fz={16}>
          Transactions
        </Title>
        <Group gap="sm">
          <Select
            aria-label="Type"
            placeholder="Any type"
            clearable
            w={170}
            data={TYPES}
            value={type ?? null}
            onChange={(chosen) => setType(chosen ?? undefined)}
          />
          <CsvButton name="all transactions" file="transactions.csv" filter={{ type }} />
        </Group>
      </Group>
      <Text size="sm" c="dimmed" mb="md">
        A change is one of the available Tokens: a generation&apos;s leave them when they are
        reserved, and come back when they are restored. The CSV names the types as the API does:{" "}
        {API_TYPES}.
      </Text>
      <DataList
        list={transactions}
        empty={<Empty icon={Receipt} title="No transactions" />}
        onClear={type && (() => setType(undefined))}
      >
        {(shown) => <TransactionTable transactions={shown} label="Transactions" />}
      </DataList>
    </Card>
  );
}

function useTransactions(type: Schemas["TransactionType"] | undefined) {
  const { keyPrefix, params } = useScope();
  return useList({
    queryKey: [...queryKeys.money(keyPrefix), "transactions", type],
    read: (page) => {
      const query = { ...params.query, ...(type && { type }), limit: PAGE_SIZE, ...page };
      return unwrap(
        api.GET("/accounts/{account_id}/transactions", { params: { ...params, query } }),
      );
    },
    idOf: ({ id }) => id,
  });
}
