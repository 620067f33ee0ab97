/** Sends the playground's request, with its price before. Sending it again before there is a final answer creates no second generation. */
import { Box, Group, Text } from "@mantine/core";
import { useIsMutating, useMutation, useQueryClient } from "@tanstack/react-query";
import { Sparkles } from "lucide-react";
import type { Generation, Model } from "../../api/client.ts";
import { Refusal } from "../../api/refusal.ts";
import { BusyButton } from "../../components/form/form.tsx";
import { Note, TextLink } from "../../components/texts.tsx";
import { useBalances, useCall, useMoney } from "../../data/queries.ts";
import { refetch } from "../../data/refetch.ts";
import { useScope } from "../../data/scope.ts";
import { tokens } from "../../data/value-format.ts";
import { keep, readKept, useKept } from "../../session/kept.ts";
import { type FormValues, generateButton, priceExplanation, type Request } from "./form-values.ts";
import { useIsUploading } from "./image-input.tsx";
import { type OpenRequest, type RequestKeys, requestKeys } from "./request-keys.ts";

export type Submit = ReturnType<typeof useSubmit>;

/** One for each user, account and mode while the document is open: a request may outlive its page. */
const allKeys = new Map<string, RequestKeys>();

export function useSubmit() {
  const { account, user, mode } = useScope();
  const call = useCall();
  const client = useQueryClient();
  const place = `${user.id} ${account.id} ${mode}`;
  const mutationKey = ["playground", place];
  const keys = keysOf(`${place} open request`);
  const shownRun = `${place} run`;
  const shownId = useKept<string>(shownRun);
  // Also when the playground is no longer open.
  const show = (id: string | undefined) => id && keep(shownRun, id);
  const mutation = useMutation({
    mutationKey,
    mutationFn: ({ kind, ...input }: Request & { idempotencyKey: string }): Promise<Generation> =>
      call(kind === "video" ? "createPlaygroundVideo" : "createPlaygroundImage", input as never),
    onSuccess: ({ id }) => show(id),
    onError: (error) => show(generationOf(error)),
    onSettled: (_created, error) => {
      keys.settle(error);
      void refetch(client);
    },
  });
  /** Whether it was sent. */
  const press = ({ kind, body }: Request): boolean => {
    const idempotencyKey = keys.press(JSON.stringify(body), performance.now());
    if (idempotencyKey !== undefined) mutation.mutate({ kind, body, idempotencyKey } as never);
    return idempotencyKey !== undefined;
  };
  return {
    shownId,
    forgetError: mutation.reset,
    show: (id: string) => {
      mutation.reset();
      show(id);
    },
    // A generation that failed is shown itself, with what became of its Tokens.
    error: generationOf(mutation.error) ? null : mutation.error,
    // Counts also a request of this page before it was left.
    isPending: useIsMutating({ mutationKey }) > 0,
    press,
  };
}

function generationOf(error: unknown): string | undefined {
  return error instanceof Refusal ? error.details.generation_id : undefined;
}

function keysOf(name: string): RequestKeys {
  const known = allKeys.get(name);
  if (known) return known;
  const keys = requestKeys({
    read: () => readKept<OpenRequest>(name),
    write: (open) => keep(name, open),
  });
  allKeys.set(name, keys);
  return keys;
}

type Props = { model: Model; values: FormValues; price: number | undefined; submit: Submit };

/** The price of the request and the button that sends it, disabled where the balance is too low. In live mode the button names the price. */
export function SubmitRow({ model, values, price, submit }: Props) {
  const { account, mode, to } = useScope();
  const balances = useBalances();
  const isUploading = useIsUploading();
  const inMoney = useMoney()(price);
  const available = balances.data?.data.find((balance) => balance.mode === mode)?.available;
  const isOverBalance = price !== undefined && available !== undefined && price > available;
  const isLive = mode === "live";
  const isUnavailable =
    account.suspended ||
    (isLive && !account.production_granted) ||
    model.availability !== "available";
  return (
    <>
      <Group justify="flex-end">
        <Box flex="1 1 160px">
          <Text fw={650} className="number" data-testid="price">
            {price === undefined ? "No price" : `${tokens(price)} ${isLive ? "" : "test "}Tokens`}
          </Text>
          <Note className="number">{inMoney}</Note>
          <Note>{priceExplanation(values, model, mode)}</Note>
        </Box>
        <BusyButton
          type="submit"
          size="md"
          flex="0 1 auto"
          h="auto"
          py={13}
          styles={{ label: { whiteSpace: "normal" } }}
          {...generateButton(price, mode)}
          leftSection={<Sparkles size={16} aria-hidden />}
          title="Ctrl+Enter"
          aria-keyshortcuts="Control+Enter Meta+Enter"
          isBusy={submit.isPending}
          disabled={isUnavailable || isOverBalance || isUploading}
        />
      </Group>
      {isOverBalance && (
        <Text size="sm" c="var(--mantine-color-error)">
          {tokens(available)} Tokens are available.{" "}
          <TextLink to={to("billing")}>See the balance</TextLink>
        </Text>
      )}
    </>
  );
}
