/** What was spent and what is left: the balance, a month's totals, every transaction, and all of it as CSV. */
import { Stack } from "@mantine/core";
import { PageHead } from "../../components/page-head.tsx";
import { Balances } from "../overview/balances.tsx";
import { UsageCard } from "../overview/usage-card.tsx";
import { StatementCard } from "./statement-card.tsx";
import { Transactions } from "./transactions.tsx";

export default function Billing() {
  return (
    <>
      <PageHead title="Usage and billing">
        Tokens are prepaid and arranged with operations: reserved at the start, restored on failure.
      </PageHead>
      <Stack gap="lg">
        <Balances />
        <UsageCard />
        <StatementCard />
        <Transactions />
      </Stack>
    </>
  );
}
