/** Usage and billing: balances, and below them, in tabs that are in the URL, usage, transactions, and limits and alerts. */
import { Divider, Skeleton, Stack, Tabs, Text } from "@mantine/core";
import { Gauge } from "lucide-react";
import type { ComponentType } from "react";
import { LimitsForm } from "../../components/limits-form.tsx";
import { PageHead, Section } from "../../components/page-head.tsx";
import { Empty, EmptyAction, QueryResult } from "../../components/states.tsx";
import { useAnswer } from "../../data/queries.ts";
import { useScope } from "../../data/scope.ts";
import { useUrlQuery } from "../../data/url-query.ts";
import { Balances } from "../overview/balances.tsx";
import { UsageCard } from "../overview/usage-card.tsx";
import { AlertsForm } from "./alerts-form.tsx";
import { ChargesCard } from "./charges-card.tsx";
import { StatementCard, Transactions } from "./transactions.tsx";
import { UsageGroupsCard } from "./usage-groups-card.tsx";

const TABS: Record<string, { label: string; cards: ComponentType[] }> = {
  usage: { label: "Usage", cards: [UsageCard, UsageGroupsCard, ChargesCard] },
  transactions: { label: "Transactions", cards: [StatementCard, Transactions] },
  limits: { label: "Limits and alerts", cards: [LimitsCard] },
};

export default function Billing() {
  const [query, change] = useUrlQuery();
  const asked = query.get("tab") ?? "";
  return (
    <>
      <PageHead title="Usage and billing">
        Tokens are paid in advance. A generation reserves its price when it starts; if it fails,
        these Tokens are restored.
      </PageHead>
      <Stack gap="lg">
        <Balances />
        <Tabs
          value={Object.hasOwn(TABS, asked) ? asked : "usage"}
          keepMounted={false}
          onChange={(chosen) => change({ tab: chosen ?? undefined })}
        >
          <Tabs.List mb="lg">
            {Object.entries(TABS).map(([value, { label }]) => (
              <Tabs.Tab key={value} value={value}>
                {label}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {Object.entries(TABS).map(([value, { cards }]) => (
            <Tabs.Panel key={value} value={value}>
              <Stack gap="lg">
                {cards.map((Shown, index) => (
                  <Shown key={index} />
                ))}
              </Stack>
            </Tabs.Panel>
          ))}
        </Tabs>
      </Stack>
    </>
  );
}

function LimitsCard() {
  const { may, mode, to } = useScope();
  const query = useAnswer("retrieveLimits", {});
  if (mode === "test")
    return (
      <Section title="Limits and alerts">
        <Empty
          icon={Gauge}
          title="Live mode alone has limits and alerts"
          action={<EmptyAction to={to("billing?tab=limits", "live")}>See them</EmptyAction>}
        >
          Test Tokens cost nothing.
        </Empty>
      </Section>
    );
  return (
    <Section
      title="Limits and alerts"
      note="Days and months are UTC. A request beyond a limit is refused. API keys can have limits of their own."
    >
      <QueryResult query={query} loading={<Skeleton height={606} radius="md" />}>
        {({ limits, alerts }) => (
          <>
            <LimitsForm
              limits={limits.filter(({ scope }) => scope === "account")}
              isDisabled={!may("setLimits")}
              save={(call, body) => call("setLimits", { body })}
            />
            <Divider my="md" />
            <Text size="sm" c="dimmed" mb="sm">
              What each of your users may use, by the end_user of a request
            </Text>
            <LimitsForm
              isPerEndUser
              limits={limits.filter(({ scope }) => scope === "end_user")}
              isDisabled={!may("setEndUserLimits")}
              save={(call, body) => call("setEndUserLimits", { body })}
            />
            <Divider my="md" />
            <AlertsForm alerts={alerts} />
          </>
        )}
      </QueryResult>
    </Section>
  );
}
