/** The switch between test and live, which opens the same page in the other mode. */
import { SegmentedControl } from "@mantine/core";
import { useLocation, useNavigate } from "react-router";
import type { Mode } from "../api/client.ts";
import { useScope } from "../data/scope.ts";

const DETAIL_PAGE = /^(generations|settings\/webhooks)\/.*/;

const MEANINGS = {
  test: "Test mode: simulated outputs and test Tokens; nothing is spent",
  live: "Live mode: real outputs and real Tokens",
};

export function ModeSwitch() {
  const { account, mode } = useScope();
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const page = pathname.split("/").slice(3).join("/");
  // One generation or delivery belongs to one mode, so the other mode shows the list instead.
  const counterpart = page.replace(DETAIL_PAGE, "$1");
  return (
    <SegmentedControl
      size="xs"
      // High enough for a finger.
      styles={{ label: { paddingBlock: 7 } }}
      aria-label="Mode"
      title={MEANINGS[mode]}
      color={mode === "test" ? "amber.3" : "teal.8"}
      autoContrast
      value={mode}
      onChange={(value) => void navigate(`/${account.id}/${value as Mode}/${counterpart}`)}
      data={[
        { value: "test", label: "Test" },
        { value: "live", label: "Live" },
      ]}
    />
  );
}
