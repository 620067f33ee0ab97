/** The user's passkeys: adding one of this device, and removing them. */
import { Card, Group, Stack, Text, Title } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import {
  BusyButton,
  CurrentPassword,
  DialogButtons,
  field,
  Form,
  onSubmit,
  passwordIn,
  TextInput,
} from "../../components/form/form.tsx";
import { api, unwrap, type Schemas } from "../../api/client.ts";
import { Dialog } from "../../components/dialog.tsx";
import { DataTable, endingColumn } from "../../components/data-table.tsx";
import { Failure, QueryResult } from "../../components/states.tsx";
import { day } from "../../components/value-format.ts";
import { queryKeys } from "../../data/queries.ts";
import { refetch } from "../../data/refetch.ts";

export function PasskeysCard() {
  const client = useQueryClient();
  const refresh = () => refetch(client, queryKeys.passkeys);
  const passkeys = useQuery({
    queryKey: queryKeys.passkeys,
    queryFn: () => unwrap(api.GET("/auth/passkeys")),
    select: ({ data }) => data,
  });
  const [removed, setRemoved] = useState<string>();
  return (
    <Card component="section" aria-labelledby="passkeys">
      <Title order={2} id="passkeys" fz={16} mb="sm">
        Passkeys
      </Title>
      <Stack>
        <Text size="sm">
          With a passkey you sign in by your finger, face or PIN, without password and code.
        </Text>
        <QueryResult query={passkeys}>
          {(all) =>
            all.length > 0 && (
              <DataTable
                label="Passkeys"
                rows={all}
                columns={[
                  { head: "Name", cell: ({ name }) => name },
                  { head: "Added", cell: ({ created_at }) => day(created_at) },
                  endingColumn<Schemas["Passkey"]>({
                    action: "Remove",
                    actionOn: ({ name }) => `Remove ${name}`,
                    end: { mutate: setRemoved, isPending: false, variables: undefined },
                  }),
                ]}
                keyOf={({ id }) => id}
              />
            )
          }
        </QueryResult>
        <AddPasskey onAdded={refresh} />
        <RemovePasskey id={removed} onClose={() => setRemoved(undefined)} onRemoved={refresh} />
      </Stack>
    </Card>
  );
}

function AddPasskey({ onAdded }: { onAdded: () => unknown }) {
  const add = useMutation({
    mutationFn: async ({ name, body }: { name: string; body: Schemas["PasswordRequest"] }) => {
      const { options } = await unwrap(api.POST("/auth/passkeys/options", { body }));
      const { newPasskey } = await import("../../session/passkeys.ts");
      const response = await newPasskey(options);
      await unwrap(api.POST("/auth/passkeys", { body: { name, response } }));
    },
    onSuccess: onAdded,
  });
  return (
    <Form
      onSubmit={onSubmit((form) =>
        add.mutate({ name: field(form, "name").trim(), body: passwordIn(form) }),
      )}
    >
      <Stack maw={380}>
        <TextInput name="name" label="Name of this device" required maxLength={100} />
        <CurrentPassword />
        {add.error && <Failure error={add.error} />}
        <Group>
          <BusyButton type="submit" variant="default" isBusy={add.isPending}>
            Add a passkey
          </BusyButton>
        </Group>
      </Stack>
    </Form>
  );
}

type RemoveProps = {
  /** Undefined while none is to be removed. */
  id: string | undefined;
  onClose: () => void;
  onRemoved: () => unknown;
};

function RemovePasskey({ id, onClose, onRemoved }: RemoveProps) {
  const remove = useMutation({
    mutationFn: (body: Schemas["PasswordRequest"]) =>
      unwrap(
        api.POST("/auth/passkeys/{passkey_id}/remove", {
          params: { path: { passkey_id: id ?? "" } },
          body,
        }),
      ),
    onSuccess: onClose,
    onSettled: onRemoved,
  });
  return (
    <Dialog isOpen={id !== undefined} onClose={onClose} title="Remove the passkey?">
      <Form onSubmit={onSubmit((form) => remove.mutate(passwordIn(form)))}>
        <Stack>
          <Text size="sm">It signs nobody in any more.</Text>
          <CurrentPassword />
          {remove.error && <Failure error={remove.error} />}
          <DialogButtons
            action="Remove"
            isPending={remove.isPending}
            isDangerous
            onCancel={onClose}
          />
        </Stack>
      </Form>
    </Dialog>
  );
}
