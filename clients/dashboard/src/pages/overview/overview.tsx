/** The overview. A new account begins with its first steps; balances, usage and recent generations follow. */
import { Grid, Skeleton, Stack } from "@mantine/core";
import { useGenerations } from "../../data/queries.ts";
import { PageHead } from "../../components/page-head.tsx";
import { useScope } from "../../data/scope.ts";
import { Balances } from "./balances.tsx";
import { FirstSteps } from "./first-steps.tsx";
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
  const { may } = useScope();
  const generations = useGenerations({}, RECENT_COUNT);
  // The order depends on it: nothing may move once it is shown.
  if (generations.isPending) return <Skeleton height={480} radius="lg" />;
  const isNew = generations.data?.pages[0]?.data.length === 0;
  const firstSteps = may("createApiKey") && <FirstSteps />;
  return (
    <Stack gap="lg">
      {isNew && firstSteps}
      <Numbers isNew={isNew} />
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: isNew ? 12 : 7 }}>
          <RecentGenerations />
        </Grid.Col>
        {!isNew && <Grid.Col span={{ base: 12, md: 5 }}>{firstSteps}</Grid.Col>}
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
