/** The form that changes the password, which ends every other session. */
import { Alert, Card, Stack, Title } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useRef } from "react";
import { BusyButton } from "../../components/form/busy-button.tsx";
import { api, unwrap, type Schemas } from "../../api/client.ts";
import { CurrentPassword, passwordIn } from "../../components/current-password.tsx";
import { Failure } from "../../components/failure.tsx";
import { field, onSubmit } from "../../components/form-data.ts";
import { NewPassword } from "../../components/new-password.tsx";
import { Form } from "../../components/form/form.tsx";

export function PasswordCard() {
  const form = useRef<HTMLFormElement>(null);
  const change = useMutation({
    mutationFn: (body: Schemas["ChangePasswordRequest"]) =>
      unwrap(api.POST("/auth/password", { body })),
    onSuccess: () => form.current?.reset(),
  });
  return (
    <Card component="section" aria-labelledby="password">
      <Title order={2} id="password" fz={16} mb="sm">
        Password
      </Title>
      <Form
        ref={form}
        onSubmit={onSubmit((submitted) =>
          change.mutate({
            current_password: passwordIn(submitted).password ?? "",
            new_password: field(submitted, "new_password"),
          }),
        )}
      >
        <Stack maw={380}>
          <CurrentPassword label="Current password" />
          <NewPassword name="new_password" label="New password" />
          {change.error && <Failure error={change.error} />}
          {change.isSuccess && (
            <Alert color="teal" role="status">
              Password changed. Every other session has ended.
            </Alert>
          )}
          <BusyButton type="submit" variant="default" w="fit-content" isBusy={change.isPending}>
            Change password
          </BusyButton>
        </Stack>
      </Form>
    </Card>
  );
}
