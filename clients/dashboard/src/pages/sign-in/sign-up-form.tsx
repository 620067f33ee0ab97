/** The sign-up form: name, e-mail and password; of an invited or verified user the e-mail is known. */
import { useNavigate } from "react-router";
import { ActionForm } from "../../components/action-form.tsx";
import { EmailInput, field, NameInput, NewPassword } from "../../components/form/form.tsx";

type Props = {
  /** The address that a mailed link or an invitation is for, and the token of that link. */
  known?: { email: string } & ({ invitation: string } | { proof: string });
};

export function SignUpForm({ known }: Props) {
  const navigate = useNavigate();
  return (
    <ActionForm
      isEntry
      action="Sign up"
      run={(call, form) => {
        const [name, email, password] = ["name", "email", "password"].map((one) =>
          field(form, one),
        );
        const body = { name: name ?? "", email: email ?? "", password: password ?? "", ...known };
        return call("signUp", { body });
      }}
      onDone={() => navigate("/")}
    >
      <NameInput label="Your name" autoComplete="name" />
      <EmailInput {...(known && { value: known.email, readOnly: true })} />
      <NewPassword />
    </ActionForm>
  );
}
