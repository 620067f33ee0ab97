/** Goes to the same page in the other mode. */
import { SegmentedControl } from "@mantine/core";
import { useLocation, useNavigate } from "react-router";
import type { Mode } from "../api/client.ts";
import { usePlace } from "../session/scope.ts";

const LISTS = /^(generations|settings\/webhooks)\//;

export function ModeSwitch() {
  const { account, mode } = usePlace();
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const page = pathname.split("/").slice(3).join("/");
  // One generation or delivery belongs to one mode: its list is the other mode's counterpart.
  const counterpart = page
    .replace(LISTS, "$1/")
    .replace(/^((?:generations|settings\/webhooks))\/.*/, "$1");
  return (
    <SegmentedControl
      size="xs"
      aria-label="Mode"
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
