/** A form with one e-mail field, and what it says once the mail is on its way. */
import { Alert, Stack } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { BusyButton, field, Form, onSubmit, TextInput } from "./form/form.tsx";
import { Failure } from "./states.tsx";

type Props = { button: string; done: string; send: (email: string) => Promise<unknown> };

export function MailForm({ button, done, send }: Props) {
  const sending = useMutation({ mutationFn: send });
  if (sending.isSuccess) {
    return (
      <Alert color="teal" role="status">
        {done}
      </Alert>
    );
  }
  return (
    <Form onSubmit={onSubmit((form) => sending.mutate(field(form, "email").trim()))}>
      <Stack>
        <TextInput
          name="email"
          label="E-mail"
          type="email"
          autoComplete="username"
          required
          autoFocus
          maxLength={254}
        />
        {sending.error && <Failure error={sending.error} />}
        <BusyButton type="submit" size="md" isBusy={sending.isPending}>
          {button}
        </BusyButton>
      </Stack>
    </Form>
  );
}
