/** A block of code, with a copy button in a bar above it. */
import { Box, Code, Group, Text } from "@mantine/core";
import { CopyText } from "./copy-text.tsx";

type Props = { code: string; label: string };

export function CodeBlock({ code, label }: Props) {
  return (
    <Box bd="1px solid var(--line)" style={{ borderRadius: 8, overflow: "hidden" }}>
      <Group
        justify="space-between"
        px="sm"
        py={4}
        style={{ borderBottom: "1px solid var(--line)" }}
      >
        <Text size="xs" c="dimmed">
          {label}
        </Text>
        <CopyText value={code} label="Copy" />
      </Group>
      <Code
        block
        fz={12.5}
        p="md"
        mah={420}
        tabIndex={0}
        role="region"
        aria-label={label}
        style={{ borderRadius: 0 }}
      >
        {code}
      </Code>
    </Box>
  );
}
