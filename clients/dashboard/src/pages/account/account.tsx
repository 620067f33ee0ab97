/** Settings, Account: the account's name and access, another account, and leaving. */
import { Anchor, Stack } from "@mantine/core";
import { Link } from "react-router";
import { PageHead } from "../../components/page-head.tsx";
import { AccountCard } from "./account-card.tsx";
import { LeaveCard } from "./leave-card.tsx";
import { NewAccount } from "./new-account.tsx";

export default function Account() {
  return (
    <>
      <PageHead title="Account">
        How you sign in is in{" "}
        <Anchor component={Link} to="/profile" size="sm" underline="always">
          your profile
        </Anchor>
        .
      </PageHead>
      <Stack gap="lg">
        <AccountCard />
        <NewAccount />
        <LeaveCard />
      </Stack>
    </>
  );
}
