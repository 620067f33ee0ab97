/** Says that webhook deliveries fail, with a link to them; nothing where none does. */
import { Alert, Anchor } from "@mantine/core";
import { TriangleAlert } from "lucide-react";
import { Link } from "react-router";
import { tokens } from "../../components/value-format.ts";
import { useScope } from "../../data/scope.ts";

export function FailingDeliveries({ count }: { count: number }) {
  const { to } = useScope();
  if (count === 0) return null;
  return (
    <Alert color="amber" icon={<TriangleAlert aria-hidden />}>
      {count === 1 ? "1 webhook delivery is" : `${tokens(count)} webhook deliveries are`} failing:
      the URL does not accept them, and we try again.{" "}
      <Anchor
        component={Link}
        to={to("settings/webhooks?status=failing")}
        size="sm"
        underline="always"
      >
        {count === 1 ? "See it" : "See them"}
      </Anchor>
    </Alert>
  );
}
