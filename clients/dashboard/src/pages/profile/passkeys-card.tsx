/** The user's passkeys: adding one of this device, and removing them. */
import { Stack } from "@mantine/core";
import { ActionForm } from "../../components/action-form.tsx";
import { DataTable } from "../../components/data-table.tsx";
import { field, NameInput } from "../../components/form/form.tsx";
import { Section } from "../../components/page-head.tsx";
import { type Call, useAnswer } from "../../data/queries.ts";
import { day } from "../../data/value-format.ts";
import { useAskedPassword } from "./password.tsx";

export function PasskeysCard() {
  const password = useAskedPassword();
  const passkeys = useAnswer("listPasskeys", {});
  const add = async (call: Call, form: FormData) => {
    const name = field(form, "name");
    const { options } = await call("beginPasskey", { body: password.take() });
    const { newPasskey } = await import("../../session/passkeys.ts");
    return call("createPasskey", { body: { name, response: await newPasskey(options) } });
  };
  return (
    <Section
      title="Passkeys"
      note="With a passkey you sign in by your finger, face or PIN, without password and code."
    >
      <Stack>
        <DataTable
          label="Passkeys"
          query={passkeys}
          empty={null}
          columns={[
            { head: "Name", cell: ({ name }) => name },
            { head: "Added", cell: ({ created_at: at }) => day(at) },
          ]}
          ending={{
            action: "Remove",
            actionOn: ({ name }) => `Remove ${name}`,
            run: (call, { id }) => call("removePasskey", { passkey_id: id, body: password.take() }),
          }}
        />
        <ActionForm isRow isCleared action="Add a passkey" run={add}>
          <NameInput label="Name of this device" maw={380} flex="1 1 240px" />
        </ActionForm>
      </Stack>
    </Section>
  );
}
