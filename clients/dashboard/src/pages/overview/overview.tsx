/** The overview: balances, usage, recent generations and first steps. */
import { Grid, Stack } from "@mantine/core";
import { PageHead } from "../../components/page-head.tsx";
import { useScope } from "../../session/scope.ts";
import { Balances } from "./balances.tsx";
import { FirstSteps } from "./first-steps.tsx";
import { RecentGenerations } from "./recent-generations.tsx";
import { UsageCard } from "./usage-card.tsx";

export default function Overview() {
  const { account, may } = useScope();
  return (
    <>
      <PageHead title="Overview">{account.name}</PageHead>
      <Stack gap="lg">
        <Balances />
        <UsageCard />
        <Grid gap="lg">
          <Grid.Col span={{ base: 12, md: 7 }}>
            {may("listGenerations") && <RecentGenerations />}
          </Grid.Col>
          <Grid.Col span={{ base: 12, md: 5 }}>{may("createApiKey") && <FirstSteps />}</Grid.Col>
        </Grid>
      </Stack>
    </>
  );
}
