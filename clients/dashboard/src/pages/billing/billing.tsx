/** Usage and billing: balances, and below them, in tabs that are in the URL, usage, transactions, and limits and alerts. */
import { Stack, Tabs } from "@mantine/core";
import type { ReactNode } from "react";
import { PageHead } from "../../components/page-head.tsx";
import { useUrlQuery } from "../../data/url-query.ts";
import { Balances } from "../overview/balances.tsx";
import { UsageCard } from "../overview/usage-card.tsx";
import { ChargesCard } from "./charges-card.tsx";
import { LimitsCard } from "./limits-card.tsx";
import { StatementCard } from "./statement-card.tsx";
import { Transactions } from "./transactions.tsx";
import { UsageGroupsCard } from "./usage-groups-card.tsx";

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
