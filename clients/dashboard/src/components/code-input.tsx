/** The field for a code of an authenticator app. */
import { TextInput } from "./form/fields.tsx";

export function CodeInput({ label }: { label: string }) {
  return (
    <TextInput
      name="code"
      label={label}
      inputMode="numeric"
      autoComplete="one-time-code"
      pattern="[0-9]{6}"
      title="Enter the six digits that the app shows."
      maxLength={6}
      maw={200}
      required
    />
  );
}
