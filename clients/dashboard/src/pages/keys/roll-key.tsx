/** The dialog that replaces a key: until when the old one works, then the complete new key, shown once. */
import { Select, Stack, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, unwrap, type ApiKey } from "../../api/client.ts";
import { queryKeys } from "../../data/queries.ts";
import { refetch } from "../../data/refetch.ts";
import { Dialog } from "../../components/dialog.tsx";
import { Failure } from "../../components/states.tsx";
import { DialogButtons, Form, onSubmit as submitting } from "../../components/form/form.tsx";
import { useScope } from "../../data/scope.ts";
import { NewKey } from "./new-key.tsx";

const GRACE_HOURS = [
  { value: "0", label: "No longer: revoke it now" },
  { value: "1", label: "For 1 hour" },
  { value: "24", label: "For 24 hours" },
  { value: "168", label: "For 7 days" },
];

export function RollKey({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const { account, params } = useScope();
  const client = useQueryClient();
  const [graceHours, setGraceHours] = useState("24");
  const path = { ...params.path, key_id: apiKey.id };
  const roll = useMutation({
    mutationFn: () =>
      unwrap(
        api.POST("/accounts/{account_id}/keys/{key_id}/roll", {
          params: { path },
          body: { grace_hours: Number(graceHours) },
        }),
      ),
    onSuccess: () => refetch(client, queryKeys.apiKeys(account.id), queryKeys.limits(account.id)),
    // Closing the dialog removes the key from memory.
    gcTime: 0,
  });
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={roll.data ? "Your new key" : `Roll ${apiKey.name}`}
      isDismissible={roll.data === undefined}
    >
      {roll.data ? (
        <NewKey created={roll.data} onDone={onClose} />
      ) : (
        <Form onSubmit={submitting(() => roll.mutate())}>
          <Stack>
            <Text size="sm">
              A new key with the same name, permissions and limits takes the place of{" "}
              <span className="mono">
                {apiKey.prefix}…{apiKey.last_four}
              </span>
              . Put it on your servers while the old one still works.
            </Text>
            <Select
              label="The old key works"
              data-autofocus
              allowDeselect={false}
              data={GRACE_HOURS}
              value={graceHours}
              onChange={(chosen) => setGraceHours(chosen ?? graceHours)}
            />
            {roll.error && <Failure error={roll.error} />}
            <DialogButtons action="Roll key" isPending={roll.isPending} onCancel={onClose} />
          </Stack>
        </Form>
      )}
    </Dialog>
  );
}
