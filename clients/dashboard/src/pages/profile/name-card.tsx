/** The user's name, which the members of their accounts see. */
import { Card, Title } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "../../api/client.ts";
import { RenameForm } from "../../components/rename-form.tsx";
import { useUser } from "../../data/user.ts";

export function NameCard() {
  const user = useUser();
  const client = useQueryClient();
  return (
    <Card component="section" aria-labelledby="name">
      <Title order={2} id="name" fz={16} mb="sm">
        Name
      </Title>
      <RenameForm
        label="Your name"
        current={user.name}
        maw={380}
        save={(name) => unwrap(api.POST("/auth/name", { body: { name } }))}
        // Lists of members and who created something have it too.
        onSaved={() => client.invalidateQueries()}
      />
    </Card>
  );
}
