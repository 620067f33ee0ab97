/** A block of code with a copy button. */
import { Box, Code } from "@mantine/core";
import { CopyText } from "./copy-text.tsx";

type Props = { code: string; label: string };

export function CodeBlock({ code, label }: Props) {
  return (
    <Box pos="relative">
      <Code
        block
        fz={12.5}
        p="md"
        pr={48}
        mah={420}
        tabIndex={0}
        role="region"
        aria-label={label}
        bd="1px solid var(--line)"
      >
        {code}
      </Code>
      <Box pos="absolute" top={8} right={8}>
        <CopyText value={code} label="Copy" />
      </Box>
    </Box>
  );
}
