/** A page's heading, description and actions; also sets the browser tab's title. */
import { Group, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";

type Props = { title: string; children?: ReactNode; actions?: ReactNode };

export function PageHead({ title, children, actions }: Props) {
  return (
    <Group justify="space-between" align="flex-end" mb="lg" gap="md">
      <title>{`${title} · Media dashboard`}</title>
      <div>
        <Title order={1} fz={26} lh={1.25}>
          {title}
        </Title>
        {children && (
          <Text c="dimmed" size="sm" mt={4} maw={640}>
            {children}
          </Text>
        )}
      </div>
      {actions && <Group gap="sm">{actions}</Group>}
    </Group>
  );
}
