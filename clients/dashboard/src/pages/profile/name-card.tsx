/** The user's name, which the members of their accounts see. */
import { Button, Card, Stack, Title } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, unwrap } from "../../api/client.ts";
import { Failure } from "../../components/failure.tsx";
import { FieldRow } from "../../components/form/field-row.tsx";
import { Form } from "../../components/form/form.tsx";
import { NameInput } from "../../components/name-input.tsx";
import { useUser } from "../../data/user.ts";

export function NameCard() {
  const user = useUser();
  const client = useQueryClient();
  const [name, setName] = useState(user.name);
  const rename = useMutation({
    mutationFn: () => unwrap(api.POST("/auth/name", { body: { name: name.trim() } })),
    // Lists of members and who created something have it too.
    onSuccess: () => client.invalidateQueries(),
  });
  return (
    <Card component="section" aria-labelledby="name">
      <Title order={2} id="name" fz={16} mb="sm">
        Name
      </Title>
      <Form
        onSubmit={(event) => {
          event.preventDefault();
          rename.mutate();
        }}
      >
        <Stack gap="sm" maw={380}>
          {rename.error && <Failure error={rename.error} />}
          <FieldRow>
            <NameInput label="Your name" value={name} onChange={setName} flex="1 1 240px" />
            <Button
              type="submit"
              variant="default"
              loading={rename.isPending}
              disabled={name.trim() === user.name}
            >
              Rename
            </Button>
          </FieldRow>
        </Stack>
      </Form>
    </Card>
  );
}
