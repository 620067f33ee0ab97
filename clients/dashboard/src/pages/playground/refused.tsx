/** Why a request was refused; for a limit of Tokens, when it ends and where it is set. */
import { Alert, Anchor } from "@mantine/core";
import { CircleAlert } from "lucide-react";
import { Link } from "react-router";
import { Refusal } from "../../api/refusal.ts";
import { Failure } from "../../components/failure.tsx";
import { dateTime, tokens } from "../../components/value-format.ts";
import { useScope } from "../../data/scope.ts";

export function Refused({ error }: { error: unknown }) {
  const { to } = useScope();
  const isLimit = error instanceof Refusal && error.code === "spend_limit_reached";
  const { resets_at: resetsAt, limit, period, required, used } = isLimit ? error.details : {};
  if (resetsAt === undefined) return <Failure error={error} />;
  return (
    <Alert color="red" variant="light" role="alert" icon={<CircleAlert aria-hidden />}>
      This needs {tokens(required ?? 0)} Tokens, and {tokens(used ?? 0)} of {tokens(limit ?? 0)} a{" "}
      {period} are used. The limit starts anew {dateTime(resetsAt)}.{" "}
      <Anchor component={Link} to={to("billing?tab=limits")} inherit underline="always">
        Limits and alerts
      </Anchor>
    </Alert>
  );
}
