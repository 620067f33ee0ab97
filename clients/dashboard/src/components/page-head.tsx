/** A page's heading, description and actions; also sets the browser tab's title. */
import { Anchor, Group, Text, Title } from "@mantine/core";
import { ChevronLeft } from "lucide-react";
import { useEffect, useEffectEvent, useRef, type ReactNode } from "react";
import { Link, useLocation } from "react-router";

type Props = {
  title: string;
  /** The page that this one belongs to, above the title. */
  parent?: { to: string; label: string };
  children?: ReactNode;
  actions?: ReactNode;
};

export function PageHead({ title, parent, children, actions }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { key } = useLocation();
  const takeFocus = useEffectEvent(() => {
    // The first page of a document begins at its top, as any.
    if (key !== "default" && isFocusLeftBehind()) heading.current?.focus({ preventScroll: true });
  });
  useEffect(() => takeFocus(), []);
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
        <Title ref={heading} tabIndex={-1} order={1} fz={26} lh={1.25} style={{ outline: "none" }}>
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

/** Whether the focus was in the page before, which is gone, or is on the link of the menu that led here. */
function isFocusLeftBehind(): boolean {
  const focused = document.activeElement;
  return focused === document.body || focused?.closest("nav") !== null;
}
