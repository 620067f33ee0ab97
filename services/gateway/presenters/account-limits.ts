/** Presents the limits and alerts of an account. */
import type { components } from "#gen/openapi/dashboard.ts";
import type {
  AlertSettings,
  GetTokenLimitsResponse,
} from "#gen/proto/media/billing/v1/billing_pb.ts";
import { publicTokenLimit } from "#runtime/public-token-limit.ts";
import { required } from "../operations/operation.ts";

type Schemas = components["schemas"];

export function presentAccountLimits({
  limits,
  alerts,
}: GetTokenLimitsResponse): Schemas["AccountLimits"] {
  return {
    object: "account_limits",
    limits: limits.map(publicTokenLimit),
    alerts: presentAlerts(required(alerts)),
  };
}

function presentAlerts(settings: AlertSettings): Schemas["AlertSettings"] {
  const { lowBalance, limitPercents, webhookUrl, mail } = settings;
  return {
    ...(lowBalance === undefined ? {} : { low_balance: Number(lowBalance) }),
    limit_percents: limitPercents,
    ...(webhookUrl === "" ? {} : { webhook_url: webhookUrl }),
    mail,
  };
}
