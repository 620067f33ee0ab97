/** The form that sets how many live Tokens the account, one of its keys or each end user may use in a day and in a month. */
import { Group, Progress, Stack } from "@mantine/core";
import type { Schemas } from "../api/client.ts";
import { isUsedUp, type Limit } from "../data/generation.ts";
import { type Call, useMoney } from "../data/queries.ts";
import { dateTime, tokens } from "../data/value-format.ts";
import { ActionForm } from "./action-form.tsx";
import { optionalNumber, TokensInput } from "./form/form.tsx";
import { Note } from "./texts.tsx";

type FieldsProps = {
  /** Those of the account, of the key, or of each end user. */
  limits: readonly Limit[];
  isPerEndUser?: boolean;
  isDisabled?: boolean;
};

type Props = FieldsProps & {
  save: (call: Call, limits: Schemas["LimitsRequest"]) => Promise<unknown>;
  onSaved?: () => void;
};

export function LimitsForm({ save, onSaved, ...fields }: Props) {
  return (
    <ActionForm
      action={fields.isPerEndUser ? "Save end users' limits" : "Save limits"}
      answered={() => "Saved"}
      isHidden={fields.isDisabled ?? false}
      run={(call, form) => save(call, limitsIn(form))}
      onDone={() => onSaved?.()}
    >
      <LimitFields {...fields} />
    </ActionForm>
  );
}

/** Fields for the day and the month, with what is used of each. */
export function LimitFields({ limits, isPerEndUser, isDisabled = false }: FieldsProps) {
  const month = limits.find((one) => one.period === "month");
  return (
    <Group align="flex-start" grow>
      {(["day", "month"] as const).map((period) => {
        const limit = limits.find((one) => one.period === period);
        const share = limit && limit.used / limit.tokens;
        return (
          <Stack key={period} gap={6}>
            <TokensInput
              name={period}
              data-autofocus={period === "day" || undefined}
              label={isPerEndUser ? `Each end user a ${period}` : `Tokens a ${period}`}
              description={limit ? <Use limit={limit} /> : "No limit"}
              value={limit?.tokens}
              disabled={isDisabled}
            />
            {limit && month && limit.tokens > month.tokens && (
              <Note>
                The day&apos;s limit is above the month&apos;s, so it can never be reached.
              </Note>
            )}
            {share !== undefined && limit?.scope !== "end_user" && (
              <Progress
                size="sm"
                color={share >= 1 ? "red" : share >= 0.8 ? "yellow" : "indigo"}
                value={100 * share}
                aria-label={`Used of the ${period}'s limit`}
              />
            )}
          </Stack>
        );
      })}
    </Group>
  );
}

/** What `LimitFields` hold. */
export function limitsIn(form: FormData): Schemas["LimitsRequest"] {
  return { ...optionalNumber(form, "day"), ...optionalNumber(form, "month") };
}

/** How much of a limit is used, and what the limit is in money. */
function Use({ limit }: { limit: Limit }) {
  const { scope, used, tokens: most, resets_at: resetsAt } = limit;
  const inMoney = useMoney()(most, "live");
  const startsAnew = `${isUsedUp(limit) ? "requests are refused until" : "starts anew"} ${dateTime(resetsAt)}`;
  if (scope === "end_user") {
    return `Their own count ${startsAnew}${inMoney ? `; the limit is ${inMoney}` : ""}`;
  }
  return `${tokens(used)} of ${tokens(most)} used${inMoney ? ` (${inMoney})` : ""}; ${startsAnew}`;
}
