/** The overview. A new account begins with its first steps; balances, usage and recent generations follow. */
import { Alert, Anchor, Button, Card, Grid, Group, Skeleton, Stack, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { limitsQuery, useApiKeys, useDeliveries, useGenerations } from "../../data/queries.ts";
import { PageHead } from "../../components/page-head.tsx";
import { useScope } from "../../data/scope.ts";
import { Balances } from "./balances.tsx";
import { FirstSteps } from "./first-steps.tsx";
import { UsageCard } from "./usage-card.tsx";
import { Clapperboard, TriangleAlert } from "lucide-react";
import { Link } from "react-router";
import { Empty, QueryResult, RowsLoading } from "../../components/states.tsx";
import { GenerationTable } from "../../components/generation-table.tsx";
import type { ReactNode } from "react";
import type { ApiKey } from "../../api/client.ts";
import { dateTime, tokens } from "../../components/value-format.ts";
import { isUsedUp, type Limit } from "../../data/generation.ts";

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

const RECENT_COUNT = 5;

function RecentGenerations() {
  const { to, may } = useScope();
  const generations = useGenerations({}, RECENT_COUNT);
  return (
    <Card component="section" aria-labelledby="recent" h="100%">
      <Group justify="space-between" mb="sm">
        <Title order={2} id="recent" fz={16}>
          Recent generations
        </Title>
        <Anchor component={Link} to={to("generations")} size="sm">
          See all
        </Anchor>
      </Group>
      <QueryResult query={generations} loading={<RowsLoading rows={RECENT_COUNT} height={44} />}>
        {({ pages: [latest] }) =>
          latest !== undefined && latest.data.length > 0 ? (
            <GenerationTable generations={latest.data} label="Recent generations" isShort />
          ) : (
            <Empty
              icon={Clapperboard}
              title="No generations yet"
              action={
                may("createPlaygroundVideo") && (
                  <Button component={Link} to={to("playground")} variant="light" mt="xs">
                    Open the playground
                  </Button>
                )
              }
            >
              Create a first video or picture in the playground, or with the example request.
            </Empty>
          )
        }
      </QueryResult>
    </Card>
  );
}

function FailingDeliveries() {
  return (
    <Notice color="amber" page="settings/webhooks?status=failing" link="See them">
      Webhook deliveries are failing: no attempt was accepted, and we try again.
    </Notice>
  );
}

type LimitsProps = { limits: readonly Limit[]; keys: readonly ApiKey[] };

function UsedUpLimits({ limits, keys }: LimitsProps) {
  return limits.filter(isUsedUp).map((limit) => {
    const { key_id: keyId, period, tokens: most, resets_at: resetsAt } = limit;
    const key = keyId && ` of the key ${keys.find(({ id }) => id === keyId)?.name ?? keyId}`;
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
      <Anchor component={Link} to={to(page)} size="sm" underline="always">
        {link}
      </Anchor>
    </Alert>
  );
}
