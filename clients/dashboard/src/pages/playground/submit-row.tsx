/** The price before sending, the balance it is taken from, and the button. */
import { Anchor, Button, Group, Text } from "@mantine/core";
import { Sparkles } from "lucide-react";
import { Link } from "react-router";
import type { Model } from "../../api/client.ts";
import { useBalances } from "../../data/queries.ts";
import { Failure } from "../../components/failure.tsx";
import { tokens } from "../../components/numbers.ts";
import { usePlace } from "../../session/scope.ts";
import type { Submit } from "./use-submit.ts";
import { priceInWords, priceOf } from "./values.ts";
import type { Values } from "./values.ts";

type Props = { model: Model; values: Values; submit: Submit };

export function SubmitRow({ model, values, submit }: Props) {
  const { account, mode, to } = usePlace();
  const balances = useBalances();
  const price = priceOf(values, model);
  const available = balances.data?.[mode]?.available;
  const isShort = price !== undefined && available !== undefined && price > available;
  const isClosed =
    account.suspended ||
    (mode === "live" && !account.production_granted) ||
    model.availability !== "available";
  return (
    <>
      {submit.error && <Failure error={submit.error} />}
      <Group justify="space-between" wrap="nowrap" align="center">
        <div>
          <Text fw={650} className="number" data-testid="price">
            {price === undefined
              ? "No price"
              : `${tokens(price)} ${mode === "test" ? "test " : ""}Tokens`}
          </Text>
          <Text size="xs" c="dimmed">
            {priceInWords(values, model)}
          </Text>
        </div>
        <Button
          type="submit"
          size="md"
          flex="none"
          leftSection={<Sparkles size={16} aria-hidden />}
          loading={submit.isPending}
          disabled={isClosed || isShort}
        >
          Generate
        </Button>
      </Group>
      {isShort && (
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
