/** The user's passkeys: adding one of this device, and removing them. */
import { Button, Card, Group, Stack, Text, Title } from "@mantine/core";
import { startRegistration } from "@simplewebauthn/browser";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "../../api/client.ts";
import { CurrentPassword } from "../../components/current-password.tsx";
import { EndingTable } from "../../components/ending-table.tsx";
import { Failure } from "../../components/failure.tsx";
import { field, onSubmit } from "../../components/form-data.ts";
import { QueryResult } from "../../components/query-result.tsx";
import { day } from "../../components/value-format.ts";
import { queryKeys } from "../../data/query-keys.ts";
import { Form } from "../../components/form/form.tsx";
import { TextInput } from "../../components/form/fields.tsx";

export function PasskeysCard() {
  const client = useQueryClient();
  const refresh = () => client.invalidateQueries({ queryKey: queryKeys.passkeys });
  const passkeys = useQuery({
    queryKey: queryKeys.passkeys,
    queryFn: () => unwrap(api.GET("/auth/passkeys")),
    select: ({ data }) => data,
  });
  const remove = useMutation({
    mutationFn: (passkey_id: string) =>
      unwrap(api.DELETE("/auth/passkeys/{passkey_id}", { params: { path: { passkey_id } } })),
    onSettled: refresh,
  });
  return (
    <Card component="section" aria-labelledby="passkeys">
      <Title order={2} id="passkeys" fz={16} mb="sm">
        Passkeys
      </Title>
      <Stack>
        <Text size="sm">
          With a passkey you sign in by your finger, face or PIN, without password and code.
        </Text>
        {remove.error && <Failure error={remove.error} />}
        <QueryResult query={passkeys}>
          {(all) =>
            all.length > 0 && (
              <EndingTable
                label="Passkeys"
                rows={all}
                columns={[
                  { head: "Name", cell: ({ name }) => name },
                  { head: "Added", cell: ({ created_at }) => day(created_at) },
                ]}
                action="Remove"
                actionOn={({ name }) => `Remove ${name}`}
                end={remove}
              />
            )
          }
        </QueryResult>
        <AddPasskey onAdded={refresh} />
      </Stack>
    </Card>
  );
}

function AddPasskey({ onAdded }: { onAdded: () => unknown }) {
  const add = useMutation({
    mutationFn: async ({ name, password }: { name: string; password: string }) => {
      const { options } = await unwrap(api.POST("/auth/passkeys/options", { body: { password } }));
      type Options = Parameters<typeof startRegistration>[0]["optionsJSON"];
      const response = await startRegistration({ optionsJSON: options as unknown as Options });
      await unwrap(api.POST("/auth/passkeys", { body: { name, response: { ...response } } }));
    },
    onSuccess: onAdded,
  });
  return (
    <Form
      onSubmit={onSubmit((form) =>
        add.mutate({ name: field(form, "name").trim(), password: field(form, "current") }),
      )}
    >
      <Stack maw={380}>
        <TextInput name="name" label="Name of this device" required maxLength={100} />
        <CurrentPassword label="Password" />
        {add.error && <Failure error={add.error} />}
        <Group>
          <Button type="submit" variant="default" loading={add.isPending}>
            Add a passkey
          </Button>
        </Group>
      </Stack>
    </Form>
  );
}
