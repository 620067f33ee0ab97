/** The live and the test balance side by side; the current mode's is highlighted. */
import { Badge, Card, Group, SimpleGrid, Skeleton, Stack, Text } from "@mantine/core";
import type { Mode, Schemas } from "../../api/client.ts";
import { useBalances, useMoney } from "../../data/queries.ts";
import { AskOperators } from "../../components/ask-operators.tsx";
import { tokens } from "../../data/value-format.ts";
import { QueryResult } from "../../components/states.tsx";
import { TextLink } from "../../components/texts.tsx";
import { useScope } from "../../data/scope.ts";

export function Balances() {
  const balances = useBalances();
  const { account, may } = useScope();
  // The placeholder is as high as what comes, so that nothing below it moves.
  const height = account.production_granted && may("createRequest") ? 162 : 122;
  return (
    <QueryResult query={balances} loading={<Skeleton height={height} radius="lg" />}>
      {({ data }) => (
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="lg">
          {(["live", "test"] as const).map((mode) => (
            <BalanceCard key={mode} mode={mode} balance={data.find((one) => one.mode === mode)} />
          ))}
        </SimpleGrid>
      )}
    </QueryResult>
  );
}

function BalanceCard({ mode, balance }: { mode: Mode; balance: Schemas["Balance"] | undefined }) {
  const { account, mode: current, to } = useScope();
  const inMoney = useMoney()(balance?.available, mode);
  const reserved = balance?.reserved ?? 0;
  const held =
    reserved === 0 ? "Nothing reserved" : `${tokens(reserved)} reserved for unfinished work`;
  return (
    <Card
      component="section"
      aria-label={`Balance in ${mode} mode`}
      bd={mode === current ? "1px solid var(--mantine-color-indigo-5)" : undefined}
    >
      <Group justify="space-between">
        <Text size="sm" c="dimmed" fw={550}>
          {mode === "live" ? "Live balance" : "Test balance"}
        </Text>
        {mode === current && <Badge>this mode</Badge>}
      </Group>
      <Text fz={30} fw={660} lh={1.3} className="number">
        {tokens(balance?.available ?? 0)}{" "}
        <Text span size="sm" c="dimmed" fw={500}>
          Tokens
        </Text>
      </Text>
      <Text size="sm" c="dimmed">
        {mode === "live" && !account.production_granted ? (
          <>
            Live mode needs <TextLink to={to("overview", "live")}>production access</TextLink>.
          </>
        ) : inMoney === undefined ? (
          held
        ) : (
          `${inMoney}; ${held.toLowerCase()}`
        )}
      </Text>
      {mode === "live" && account.production_granted && (
        <Stack gap={4} mt="xs">
          <AskOperators kind="tokens" />
        </Stack>
      )}
    </Card>
  );
}
