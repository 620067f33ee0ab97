/** The overview. A new account begins with its first steps; balances, usage and recent generations follow. */
import { Grid, Skeleton, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { limitsQuery, useApiKeys, useDeliveries, useGenerations } from "../../data/queries.ts";
import { PageHead } from "../../components/page-head.tsx";
import { useScope } from "../../data/scope.ts";
import { Balances } from "./balances.tsx";
import { FirstSteps } from "./first-steps.tsx";
import { FailingDeliveries, UsedUpLimits } from "./notices.tsx";
import { RECENT_COUNT, RecentGenerations } from "./recent-generations.tsx";
import { UsageCard } from "./usage-card.tsx";

export default function Overview() {
  const { account, may } = useScope();
  return (
    <>
      <PageHead title="Overview">{account.name}</PageHead>
      {may("listGenerations") ? <Contents /> : <Numbers />}
    </>
  );
}

function Contents() {
  const { account, mode, may } = useScope();
  const generations = useGenerations({}, RECENT_COUNT);
  const failing = useDeliveries({ status: "failing" }, 1);
  const limits = useQuery({
    ...limitsQuery(account.id),
    enabled: mode === "live" && may("retrieveLimits"),
  });
  const keys = useApiKeys();
  // The order depends on them: nothing may move once it is shown.
  if (generations.isPending || failing.isLoading || limits.isLoading || keys.isLoading)
    return <Skeleton height={480} radius="lg" />;
  const isNew = generations.data?.pages[0]?.data.length === 0;
  const hasKey = keys.data?.some((key) => !key.revoked_at) ?? false;
  const isUsed = keys.data?.some((key) => key.last_used_at) ?? false;
  const firstSteps = may("createApiKey") && (isNew || !isUsed) && <FirstSteps hasKey={hasKey} />;
  const isAlone = isNew || !firstSteps;
  return (
    <Stack gap="lg">
      {mode === "live" && (
        <UsedUpLimits limits={limits.data?.limits ?? []} keys={keys.data ?? []} />
      )}
      {failing.data?.pages.some(({ data }) => data.length > 0) && <FailingDeliveries />}
      {isNew && firstSteps}
      <Numbers isNew={isNew} />
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: isAlone ? 12 : 7 }}>
          <RecentGenerations />
        </Grid.Col>
        {!isAlone && <Grid.Col span={{ base: 12, md: 5 }}>{firstSteps}</Grid.Col>}
      </Grid>
    </Stack>
  );
}

/** The cards leave out the chart where there is nothing to draw yet. */
function Numbers({ isNew = false }: { isNew?: boolean }) {
  return (
    <Stack gap="lg">
      <Balances />
      {!isNew && <UsageCard />}
    </Stack>
  );
}
