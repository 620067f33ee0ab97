/** The sign-up form: name, e-mail and password; of an invited or verified user the e-mail is known. */
import { Stack } from "@mantine/core";
import {
  BusyButton,
  field,
  Form,
  NewPassword,
  onSubmit,
  TextInput,
} from "../../components/form/form.tsx";
import { Failure } from "../../components/states.tsx";
import { useSignUp } from "../../session/session.ts";

type Props = {
  /** The address that a mailed link or an invitation is for, and the token of that link. */
  known?: { email: string } & ({ invitation: string } | { proof: string });
};

export function SignUpForm({ known }: Props) {
  const signUp = useSignUp();
  return (
    <Form
      onSubmit={onSubmit((form) =>
        signUp.mutate({
          name: field(form, "name").trim(),
          email: field(form, "email").trim(),
          password: field(form, "password"),
          ...known,
        }),
      )}
    >
      <Stack>
        <TextInput name="name" label="Your name" autoComplete="name" required maxLength={100} />
        <TextInput
          name="email"
          label="E-mail"
          type="email"
          autoComplete="username"
          required
          maxLength={254}
          {...(known && { value: known.email, readOnly: true })}
        />
        <NewPassword name="password" label="Password" />
        {signUp.error && <Failure error={signUp.error} />}
        <BusyButton type="submit" size="md" isBusy={signUp.isPending}>
          Sign up
        </BusyButton>
      </Stack>
    </Form>
  );
}
