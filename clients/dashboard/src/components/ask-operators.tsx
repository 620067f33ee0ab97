/** A button that asks operators for production access or Tokens, and the answer to the last request. */
import { Text } from "@mantine/core";
import { useState } from "react";
import { REQUEST_LIMITS } from "#gen/openapi/limits.ts";
import type { Schemas } from "../api/client.ts";
import { useAnswer } from "../data/queries.ts";
import { useScope } from "../data/scope.ts";
import { DialogButton } from "./dialog.tsx";
import { LimitedTextarea, optionalNumber, TokensInput } from "./form/form.tsx";

const DEFAULT_TOKENS = 100_000;

const TITLES = { production: "Request production access", tokens: "Request Tokens" };

export function AskOperators({ kind }: { kind: Schemas["AccountRequestKind"] }) {
  const { may } = useScope();
  const [message, setMessage] = useState("");
  const requests = useAnswer("listRequests", {});
  const last = requests.data?.data.find((request) => request.kind === kind);
  if (!may("createRequest")) return null;
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
      <DialogButton
        label={TITLES[kind]}
        size="xs"
        title={TITLES[kind]}
        text="Operators of the service read this. Their answer comes to your e-mail address."
        action="Send the request"
        run={(call, form) =>
          call("createRequest", {
            body: { kind, message: message.trim(), ...optionalNumber(form, "tokens") },
          })
        }
      >
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
      </DialogButton>
    </>
  );
}
