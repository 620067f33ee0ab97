/** A button that asks operators for production access or Tokens, and the answer to the last request. */
import { Alert, Button, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { REQUEST_LIMITS } from "#gen/openapi/limits.ts";
import { api, unwrap, type Schemas } from "../api/client.ts";
import { queryKeys } from "../data/queries.ts";
import { refetch } from "../data/refetch.ts";
import { useScope } from "../data/scope.ts";
import { Dialog } from "./dialog.tsx";
import { Failure } from "./states.tsx";
import {
  DialogButtons,
  Form,
  LimitedTextarea,
  onSubmit,
  optionalNumber,
  TokensInput,
} from "./form/form.tsx";

const DEFAULT_TOKENS = 100_000;

const TEXTS = {
  production: { button: "Request production access", title: "Request production access" },
  tokens: { button: "Request Tokens", title: "Request Tokens for live mode" },
};

type Kind = Schemas["AccountRequestKind"];

export function AskOperators({ kind }: { kind: Kind }) {
  const { account, params, may } = useScope();
  const [isOpen, dialog] = useDisclosure(false);
  const requests = useQuery({
    queryKey: queryKeys.requests(account.id),
    enabled: may("listRequests"),
    queryFn: () =>
      unwrap(api.GET("/accounts/{account_id}/requests", { params: { path: params.path } })),
    select: ({ data }) => data.find((request) => request.kind === kind),
  });
  if (!may("createRequest")) return null;
  const last = requests.data;
  if (last?.status === "waiting") {
    return (
      <Text size="sm" role="status">
        Requested by {last.email}. The answer comes by mail.
      </Text>
    );
  }
  return (
    <>
      {last?.status === "refused" && (
        <Text size="sm">The last request was refused. {last.answer}</Text>
      )}
      <Button variant="default" size="xs" w="fit-content" onClick={dialog.open}>
        {TEXTS[kind].button}
      </Button>
      <Dialog isOpen={isOpen} onClose={dialog.close} title={TEXTS[kind].title}>
        <RequestForm kind={kind} onClose={dialog.close} />
      </Dialog>
    </>
  );
}

function RequestForm({ kind, onClose }: { kind: Kind; onClose: () => void }) {
  const { account, params } = useScope();
  const client = useQueryClient();
  const [message, setMessage] = useState("");
  const ask = useMutation({
    mutationFn: (amount: { tokens?: number }) =>
      unwrap(
        api.POST("/accounts/{account_id}/requests", {
          params: { path: params.path },
          body: { kind, message: message.trim(), ...amount },
        }),
      ),
    onSuccess: async () => {
      await refetch(client, queryKeys.requests(account.id));
      onClose();
    },
  });
  return (
    <Form onSubmit={onSubmit((form) => ask.mutate(optionalNumber(form, "tokens")))}>
      <Stack>
        <Alert color="gray">
          Operators of the service read this. Their answer comes to your e-mail address.
        </Alert>
        {kind === "tokens" && (
          <TokensInput
            name="tokens"
            data-autofocus
            label="Tokens"
            required
            max={REQUEST_LIMITS.tokens}
            value={DEFAULT_TOKENS}
          />
        )}
        <LimitedTextarea
          label="What is it for?"
          data-autofocus
          required
          autosize
          minRows={3}
          limit={REQUEST_LIMITS.message}
          value={message}
          onChange={setMessage}
        />
        {ask.error && <Failure error={ask.error} />}
        <DialogButtons action="Send the request" isPending={ask.isPending} onCancel={onClose} />
      </Stack>
    </Form>
  );
}
