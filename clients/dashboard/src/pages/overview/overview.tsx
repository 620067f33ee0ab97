/** The first page: what there is to spend, what was spent, what was made, and how to begin. */
import { Grid, Stack } from "@mantine/core";
import { PageHead } from "../../components/page-head.tsx";
import { usePlace } from "../../session/scope.ts";
import { Balances } from "./balances.tsx";
import { FirstSteps } from "./first-steps.tsx";
import { Recent } from "./recent.tsx";
import { UsageCard } from "./usage-card.tsx";

export default function Overview() {
  const { account } = usePlace();
  return (
    <>
      <PageHead title="Overview">{account.name}</PageHead>
      <Stack gap="lg">
        <Balances />
        <UsageCard />
        <Grid gap="lg">
          <Grid.Col span={{ base: 12, md: 7 }}>
            <Recent />
          </Grid.Col>
          <Grid.Col span={{ base: 12, md: 5 }}>
            <FirstSteps />
          </Grid.Col>
        </Grid>
      </Stack>
    </>
  );
}
