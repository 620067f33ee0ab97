/** The sign-up form: name, e-mail and password, with or without an invitation. */
import { Button, PasswordInput, Stack, TextInput } from "@mantine/core";
import { Failure } from "../../components/failure.tsx";
import { field, onSubmit } from "../../components/form-data.ts";
import { useSignUp } from "../../session/session.ts";

const MIN_PASSWORD_LENGTH = 10;

type Props = { invitation?: { token: string; email: string } };

export function SignUpForm({ invitation }: Props) {
  const signUp = useSignUp();
  return (
    <form
      onSubmit={onSubmit((form) =>
        signUp.mutate({
          name: field(form, "name").trim(),
          email: invitation?.email ?? field(form, "email").trim(),
          password: field(form, "password"),
          ...(invitation && { invitation: invitation.token }),
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
          {...(invitation && { value: invitation.email, readOnly: true })}
        />
        <PasswordInput
          name="password"
          label="Password"
          description={`At least ${MIN_PASSWORD_LENGTH} characters, of any kind.`}
          autoComplete="new-password"
          required
          minLength={MIN_PASSWORD_LENGTH}
          maxLength={128}
          visibilityToggleButtonProps={{ "aria-label": "Show or hide the password" }}
        />
        {signUp.error && <Failure error={signUp.error} />}
        <Button type="submit" size="md" loading={signUp.isPending}>
          Sign up
        </Button>
      </Stack>
    </form>
  );
}
