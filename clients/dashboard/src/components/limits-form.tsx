/** The form that sets how many live Tokens the account, one of its keys or each end user may use in a day and in a month. */
import { Button, Group, Stack, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { Schemas } from "../api/client.ts";
import { queryKeys } from "../data/query-keys.ts";
import { useScope } from "../data/scope.ts";
import { Failure } from "./failure.tsx";
import { onSubmit, optionalNumber } from "./form-data.ts";
import { TokensInput } from "./form/tokens-input.tsx";
import { Form } from "./form/form.tsx";
import { dateTime, tokens } from "./value-format.ts";

type Limit = Schemas["AccountLimits"]["limits"][number];

type Props = {
  /** Those of the account, of the key, or of each end user. */
  limits: readonly Limit[];
  isPerEndUser?: boolean;
  isDisabled?: boolean;
  save: (limits: Schemas["LimitsRequest"]) => Promise<Schemas["AccountLimits"]>;
  onSaved?: () => void;
};

const PERIODS = ["day", "month"] as const;

export function LimitsForm({ limits, isPerEndUser, isDisabled = false, save, onSaved }: Props) {
  const { account } = useScope();
  const client = useQueryClient();
  const saving = useMutation({
    mutationFn: save,
    onSuccess: (data) => {
      client.setQueryData(queryKeys.limits(account.id), data);
      onSaved?.();
    },
  });
  return (
    <Form
      onSubmit={onSubmit((form) =>
        saving.mutate({
          ...optionalNumber(form, "day"),
          ...optionalNumber(form, "month"),
        }),
      )}
    >
      <Stack gap="sm">
        <Group align="flex-start" grow>
          {PERIODS.map((period) => {
            const limit = limits.find((one) => one.period === period);
            return (
              <TokensInput
                key={`${period} ${limit?.tokens}`}
                name={period}
                label={isPerEndUser ? `Each end user a ${period}` : `Tokens a ${period}`}
                description={limit ? used(limit) : "No limit"}
                value={limit?.tokens}
                disabled={isDisabled}
              />
            );
          })}
        </Group>
        {saving.error && <Failure error={saving.error} />}
        {!isDisabled && (
          <Group justify="flex-end" gap="sm">
            {saving.isSuccess && (
              <Text size="sm" role="status">
                Saved
              </Text>
            )}
            <Button type="submit" loading={saving.isPending}>
              {isPerEndUser ? "Save end users' limits" : "Save limits"}
            </Button>
          </Group>
        )}
      </Stack>
    </Form>
  );
}

function used(limit: Limit): string {
  const startsAnew = `starts anew ${dateTime(limit.resets_at)}`;
  if (limit.scope === "end_user") return `Their own count ${startsAnew}`;
  return `${tokens(limit.used)} used; ${startsAnew}`;
}
