/** Usage and billing: balances, limits, usage, charges, monthly totals and every transaction, also as CSV. */
import { Stack } from "@mantine/core";
import { PageHead } from "../../components/page-head.tsx";
import { Balances } from "../overview/balances.tsx";
import { UsageCard } from "../overview/usage-card.tsx";
import { ChargesCard } from "./charges-card.tsx";
import { LimitsCard } from "./limits-card.tsx";
import { StatementCard } from "./statement-card.tsx";
import { Transactions } from "./transactions.tsx";

export default function Billing() {
  return (
    <>
      <PageHead title="Usage and billing">
        Tokens are paid in advance. A generation reserves its price when it starts; if it fails,
        they are restored.
      </PageHead>
      <Stack gap="lg">
        <Balances />
        <LimitsCard />
        <UsageCard />
        <ChargesCard />
        <StatementCard />
        <Transactions />
      </Stack>
    </>
  );
}
