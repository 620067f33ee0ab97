/** A page's heading, and its sections with theirs. */
import { Anchor, Card, Group, Text, Title } from "@mantine/core";
import { ChevronLeft } from "lucide-react";
import { type CSSProperties, type ReactNode, type Ref, useId } from "react";
import { Link } from "react-router";

type Props = {
  title: string;
  /** The page that this one belongs to, above the title. */
  parent?: { to: string; label: string };
  children?: ReactNode;
  actions?: ReactNode;
};

export function PageHead({ title, parent, children, actions }: Props) {
  return (
    <Group justify="space-between" align="flex-end" mb="lg" gap="md">
      <title>{`${title} · Media dashboard`}</title>
      <div>
        {parent && (
          <nav aria-label="Breadcrumb">
            <Anchor component={Link} to={parent.to} size="sm">
              <ChevronLeft size={14} aria-hidden style={{ verticalAlign: "-2px" }} />
              {parent.label}
            </Anchor>
          </nav>
        )}
        <Title order={1} fz={26} lh={1.25}>
          {title}
        </Title>
        {children && (
          <Text c="dimmed" size="sm" mt={4} maw={640} component="div">
            {children}
          </Text>
        )}
      </div>
      {actions && <Group gap="sm">{actions}</Group>}
    </Group>
  );
}

type SectionProps = {
  title: ReactNode;
  /** What it is about, below the title. */
  note?: ReactNode;
  actions?: ReactNode;
  style?: CSSProperties;
  ref?: Ref<HTMLElement>;
  children: ReactNode;
};

export function Section({ title, note, actions, children, ...rest }: SectionProps) {
  const id = useId();
  return (
    <Card component="section" aria-labelledby={id} {...rest}>
      <Group justify="space-between" align="flex-start" mb="md">
        <div>
          <Title order={2} id={id} fz={16}>
            {title}
          </Title>
          {note && (
            <Text size="sm" c="dimmed" component="div">
              {note}
            </Text>
          )}
        </div>
        {actions && <Group gap="sm">{actions}</Group>}
      </Group>
      {children}
    </Card>
  );
}
