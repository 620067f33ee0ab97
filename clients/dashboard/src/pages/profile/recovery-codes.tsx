/** Recovery codes, which are shown once. */
import { Code, Group, Text } from "@mantine/core";
import { CopyText } from "../../components/texts.tsx";

export function RecoveryCodes({ codes }: { codes: readonly string[] }) {
  return (
    <>
      <Text size="sm">
        Store these recovery codes where you find them without your phone. Each replaces a code,
        once. They are shown only now.
      </Text>
      <Group gap="xs" align="flex-start" wrap="nowrap">
        <Code block data-testid="recovery-codes">
          {codes.join("\n")}
        </Code>
        <CopyText value={codes.join("\n")} label="Copy the recovery codes" />
      </Group>
    </>
  );
}
