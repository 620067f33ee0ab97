/** The product's icon and name. */
import { Group, Text, type MantineBreakpoint } from "@mantine/core";

export function Logo({ nameFrom }: { nameFrom?: MantineBreakpoint }) {
  return (
    <Group gap={10} wrap="nowrap">
      <img src="/dashboard/icon.svg" width={26} height={26} alt="" />
      <Text fw={680} fz={15.5} lts={-0.2} visibleFrom={nameFrom}>
        Media
      </Text>
    </Group>
  );
}
