/** The product's icon and name. */
import { Group, Text } from "@mantine/core";

export function Logo() {
  return (
    <Group gap={10} wrap="nowrap">
      <img src="/dashboard/icon.svg" width={26} height={26} alt="" />
      <Text fw={680} fz={15.5} lts={-0.2}>
        Media
      </Text>
    </Group>
  );
}
