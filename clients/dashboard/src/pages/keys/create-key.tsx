/** The dialog that creates a key: a form with what it may do and use, then the complete key, shown once. */
import { Group, Select, Stack } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, unwrap, type Schemas } from "../../api/client.ts";
import { queryKeys } from "../../data/queries.ts";
import { refetch } from "../../data/refetch.ts";
import { Dialog } from "../../components/dialog.tsx";
import { Failure } from "../../components/states.tsx";
import {
  DialogButtons,
  Form,
  NameInput,
  onSubmit as submitting,
  optionalNumber,
  TextInput,
  TokensInput,
} from "../../components/form/form.tsx";
import { useScope } from "../../data/scope.ts";
import { expiryChoices, expiryOf } from "./expiry.ts";
import { NewKey } from "./new-key.tsx";
import { PermissionFields, type Permissions } from "./permission-fields.tsx";

export function CreateKey({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const { account, mode, params } = useScope();
  const client = useQueryClient();
  const create = useMutation({
    mutationFn: (body: Schemas["CreateApiKeyRequest"]) =>
      unwrap(api.POST("/accounts/{account_id}/keys", { params: { path: params.path }, body })),
    onSuccess: () => refetch(client, queryKeys.apiKeys(account.id), queryKeys.limits(account.id)),
    // Closing the dialog removes the key from memory.
    gcTime: 0,
  });
  const close = () => {
    create.reset();
    onClose();
  };
  return (
    <Dialog
      isOpen={isOpen}
      onClose={close}
      title={create.data ? "Your new key" : `Create an API key of ${mode} mode`}
      isDismissible={create.data === undefined}
    >
      {create.data ? (
        <NewKey created={create.data} onDone={close} />
      ) : (
        <KeyForm
          isPending={create.isPending}
          error={create.error}
          onCancel={close}
          onSubmit={(body) => create.mutate(body)}
        />
      )}
    </Dialog>
  );
}

type FormProps = {
  isPending: boolean;
  error: unknown;
  onCancel: () => void;
  onSubmit: (body: Schemas["CreateApiKeyRequest"]) => void;
};

function KeyForm({ isPending, error, onCancel, onSubmit }: FormProps) {
  const { mode } = useScope();
  const [name, setName] = useState("");
  const [expiry, setExpiry] = useState("never");
  const [date, setDate] = useState("");
  const [permissions, setPermissions] = useState<Permissions>({ access: "full" });
  return (
    <Form
      onSubmit={submitting((form) => {
        const expiresAt = expiryOf(expiry, date, Date.now());
        const limits = { ...optionalNumber(form, "day"), ...optionalNumber(form, "month") };
        onSubmit({
          name: name.trim(),
          mode,
          ...(expiresAt && { expires_at: expiresAt }),
          permissions,
          ...(mode === "live" && { limits }),
        });
      })}
    >
      <Stack>
        <NameInput
          label="Name"
          placeholder="Production server"
          data-autofocus
          value={name}
          onChange={setName}
        />
        <Select
          label="Expires"
          allowDeselect={false}
          data={expiryChoices}
          value={expiry}
          onChange={(chosen) => setExpiry(chosen ?? "never")}
        />
        {expiry === "date" && (
          <TextInput
            type="date"
            name="expires_at"
            label="Day"
            description="The key works until the end of this day, UTC."
            required
            value={date}
            onChange={(event) => setDate(event.currentTarget.value)}
          />
        )}
        <PermissionFields value={permissions} onChange={setPermissions} />
        {mode === "live" && permissions.access === "full" && (
          <Group align="flex-start" grow>
            <TokensInput name="day" label="Tokens a day" value={undefined} />
            <TokensInput name="month" label="Tokens a month" value={undefined} />
          </Group>
        )}
        {Boolean(error) && <Failure error={error} />}
        <DialogButtons action="Create key" isPending={isPending} onCancel={onCancel} />
      </Stack>
    </Form>
  );
}
