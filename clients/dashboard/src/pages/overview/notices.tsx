/** What needs the user: limits of Tokens that are used up, and webhook deliveries that fail; nothing where there is neither. */
import { Alert, Anchor } from "@mantine/core";
import { TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "react-router";
import type { ApiKey } from "../../api/client.ts";
import { dateTime, tokens } from "../../components/value-format.ts";
import { isUsedUp, type Limit } from "../../data/limits.ts";
import { useScope } from "../../data/scope.ts";

export function FailingDeliveries() {
  return (
    <Notice color="amber" page="settings/webhooks?status=failing" link="See them">
      Webhook deliveries are failing: no attempt was accepted, and we try again.
    </Notice>
  );
}

type LimitsProps = { limits: readonly Limit[]; keys: readonly ApiKey[] };

export function UsedUpLimits({ limits, keys }: LimitsProps) {
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
