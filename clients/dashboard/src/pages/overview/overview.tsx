/** The overview. A new account begins with its first steps; balances, usage and recent generations follow. */
import { Alert, Grid, Skeleton, Stack } from "@mantine/core";
import { Clapperboard, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import type { Generation } from "../../api/client.ts";
import { DataTable } from "../../components/data-table.tsx";
import { failingText } from "../../components/delivery-words.ts";
import { GENERATION_COLUMNS } from "../../components/generation-table.tsx";
import { PageHead, Section } from "../../components/page-head.tsx";
import { Empty, EmptyAction } from "../../components/states.tsx";
import { TextLink } from "../../components/texts.tsx";
import { isUsedUp } from "../../data/generation.ts";
import { useAnswer, useApiKeys, useDeliveries, useGenerations } from "../../data/queries.ts";
import { useScope } from "../../data/scope.ts";
import { dateTime, tokens } from "../../data/value-format.ts";
import { Balances } from "./balances.tsx";
import { FirstSteps } from "./first-steps.tsx";
import { UsageCard } from "./usage-card.tsx";

const RECENT_COUNT = 5;

export default function Overview() {
  const { account } = useScope();
  return (
    <>
      <PageHead title="Overview">{account.name}</PageHead>
      <Contents />
    </>
  );
}

function Contents() {
  const { account, mode, may } = useScope();
  const generations = useGenerations({}, { limit: RECENT_COUNT });
  const failing = useDeliveries({ status: "failing" });
  const limits = useAnswer("retrieveLimits", {}, { isEnabled: mode === "live" });
  const { keys, ...keyList } = useApiKeys();
  // The order depends on them: nothing may move once it is shown.
  const isAwaited = generations.isPending && may("listGenerations");
  if (isAwaited || failing.isLoading || limits.isLoading || keyList.isLoading)
    return <Skeleton height={480} radius="lg" />;
  const known = failing.data?.pages.flatMap(({ data }) => data) ?? [];
  const failures = failingText(known, failing.hasNextPage);
  const recent = generations.data?.pages[0]?.data ?? [];
  const isNew = generations.isSuccess && recent.length === 0;
  const isUsed = keys?.some((key) => key.last_used_at) ?? false;
  // Live mode begins with production access, which the notice above the page leads to.
  const mayBegin = may("createApiKey") && (mode === "test" || account.production_granted);
  const firstSteps = mayBegin && (isNew || !isUsed) && <FirstSteps />;
  const isAlone = isNew || !firstSteps;
  return (
    <Stack gap="lg">
      {mode === "live" && <UsedUpLimits />}
      {failures && (
        <Notice color="yellow" page="settings/webhooks?status=failing" link="See them">
          {failures}
        </Notice>
      )}
      {isNew && firstSteps}
      <Balances />
      {/* There is nothing to draw yet for a new account. */}
      {!isNew && <UsageCard />}
      {may("listGenerations") && (
        <Grid gap="lg">
          <Grid.Col span={{ base: 12, md: isAlone ? 12 : 7 }}>
            <RecentGenerations rows={recent} />
          </Grid.Col>
          {!isAlone && <Grid.Col span={{ base: 12, md: 5 }}>{firstSteps}</Grid.Col>}
        </Grid>
      )}
    </Stack>
  );
}

function RecentGenerations({ rows }: { rows: readonly Generation[] }) {
  const { to, may } = useScope();
  return (
    <Section
      title="Recent generations"
      actions={<TextLink to={to("generations")}>See all</TextLink>}
    >
      <DataTable
        label="Recent generations"
        rows={rows}
        columns={GENERATION_COLUMNS}
        isOpening
        empty={
          <Empty
            icon={Clapperboard}
            title="No generations yet"
            action={
              may("createPlaygroundVideo") && (
                <EmptyAction to={to("playground")}>Open the playground</EmptyAction>
              )
            }
          />
        }
      />
    </Section>
  );
}

function UsedUpLimits() {
  const limits = useAnswer("retrieveLimits", {}).data?.limits ?? [];
  const { keys } = useApiKeys();
  return limits.filter(isUsedUp).map((limit) => {
    const { key_id: keyId, period, tokens: most, resets_at: resetsAt } = limit;
    const key = keyId && ` of the key ${keys?.find(({ id }) => id === keyId)?.name ?? keyId}`;
    return (
      <Notice
        key={`${keyId} ${period}`}
        color="red"
        page={key ? "settings/keys" : "billing?tab=limits"}
        link={key ? "API keys" : "Limits and alerts"}
      >
        The limit of {tokens(most)} Tokens a {period}
        {key} is used up: requests are refused until {dateTime(resetsAt)}.
      </Notice>
    );
  });
}

type NoticeProps = { color: string; page: string; link: string; children: ReactNode };

function Notice({ color, page, link, children }: NoticeProps) {
  const { to } = useScope();
  return (
    <Alert color={color} icon={<TriangleAlert aria-hidden />}>
      {children}{" "}
      <TextLink to={to(page)} c="inherit">
        {link}
      </TextLink>
    </Alert>
  );
}
