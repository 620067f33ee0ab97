/** The state of an empty list: what it will show, and how to begin. */
import { Stack, Text, ThemeIcon } from "@mantine/core";
import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";

type Props = {
  icon: LucideIcon;
  title: string;
  /** 1 where the title is the page's only heading. */
  order?: 1;
  children?: ReactNode;
  action?: ReactNode;
};

export function Empty({ icon: Icon, title, order, children, action }: Props) {
  return (
    <Stack align="center" gap="xs" py={48} px="md">
      <ThemeIcon size={48} radius="xl" variant="light">
        <Icon size={22} aria-hidden />
      </ThemeIcon>
      <Text fw={600} mt={4} ta="center" component={order === 1 ? "h1" : "p"}>
        {title}
      </Text>
      {children && (
        <Text size="sm" c="dimmed" ta="center" maw={420}>
          {children}
        </Text>
      )}
      {action}
    </Stack>
  );
}
