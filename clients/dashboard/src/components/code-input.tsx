/** The field for a code of an authenticator app. */
import { TextInput } from "@mantine/core";

export function CodeInput({ label }: { label: string }) {
  return (
    <TextInput
      name="code"
      label={label}
      inputMode="numeric"
      autoComplete="one-time-code"
      pattern="[0-9]{6}"
      maxLength={6}
      maw={200}
      required
    />
  );
}
