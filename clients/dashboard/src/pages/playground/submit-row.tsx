/** The price of the request and the button that sends it, disabled where the balance is too low. */
import { Anchor, Group, Text } from "@mantine/core";
import { Sparkles } from "lucide-react";
import { Link } from "react-router";
import { BusyButton } from "../../components/form/form.tsx";
import type { Model } from "../../api/client.ts";
import { useBalances, useMoney } from "../../data/queries.ts";
import { tokens } from "../../components/value-format.ts";
import { useScope } from "../../data/scope.ts";
import type { Submit } from "./use-submit.ts";
import { outcomeLabel } from "./simulate-select.tsx";
import { priceExplanation, tokenPrice, type FormValues } from "./form-values.ts";

type Props = { model: Model; values: FormValues; submit: Submit };

export function SubmitRow({ model, values, submit }: Props) {
  const { account, mode, to } = useScope();
  const balances = useBalances();
  const price = tokenPrice(values, model, mode);
  const inMoney = useMoney()(price);
  const available = balances.data?.[mode]?.available;
  const isOverBalance = price !== undefined && available !== undefined && price > available;
  const isUnavailable =
    account.suspended ||
    (mode === "live" && !account.production_granted) ||
    model.availability !== "available";
  return (
    <>
      <Group justify="space-between" wrap="nowrap" align="center">
        <div>
          <Text fw={650} className="number" data-testid="price">
            {price === undefined
              ? "No price"
              : `${tokens(price)} ${mode === "test" ? "test " : ""}Tokens`}
          </Text>
          {inMoney !== undefined && (
            <Text size="xs" className="number">
              {inMoney}
            </Text>
          )}
          <Text size="xs" c="dimmed">
            {priceExplanation(values, model, mode)}
          </Text>
        </div>
        <BusyButton
          type="submit"
          size="md"
          flex="none"
          leftSection={<Sparkles size={16} aria-hidden />}
          title="Ctrl+Enter"
          aria-keyshortcuts="Control+Enter Meta+Enter"
          isBusy={submit.isPending}
          disabled={isUnavailable || isOverBalance || submit.isUploading}
        >
          Generate
        </BusyButton>
      </Group>
      {mode === "test" && outcomeLabel(values.simulate) && (
        <Text size="sm" c="dimmed" data-testid="simulated">
          Simulated outcome: {outcomeLabel(values.simulate)}. It can be changed under More options.
        </Text>
      )}
      {isOverBalance && (
        <Text size="sm" c="var(--mantine-color-error)">
          {tokens(available)} Tokens are available.{" "}
          <Anchor component={Link} to={to("billing")} size="sm" underline="always">
            See the balance
          </Anchor>
        </Text>
      )}
    </>
  );
}
