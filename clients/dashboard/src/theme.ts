/** The dashboard's theme: what differs from the library's, mostly for enough contrast in light and dark. */
import { Badge, Card, createTheme, Table, type CSSVariablesResolver } from "@mantine/core";

export const theme = createTheme({
  primaryColor: "indigo",
  primaryShade: 8,
  respectReducedMotion: true,
  cursorType: "pointer",
  components: {
    Card: Card.extend({
      defaultProps: { withBorder: true, padding: "lg", radius: "lg" },
      // A table that is wider than the card can be scrolled, not cut off.
      styles: { root: { overflowX: "auto" } },
    }),
    Badge: Badge.extend({
      defaultProps: { variant: "light", radius: "sm", size: "md" },
      styles: { root: { textTransform: "none", fontWeight: 600, flex: "none" } },
    }),
    Table: Table.extend({
      defaultProps: { verticalSpacing: "xs" },
      styles: { th: { color: "var(--mantine-color-dimmed)", fontSize: 12.5, fontWeight: 550 } },
    }),
  },
});

/** The library's dimmed, error and placeholder colours are too faint for small text, as is yellow and teal on pale. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    "--mantine-color-dimmed": "#5b6270",
    "--mantine-color-placeholder": "#6b7280",
    "--mantine-color-error": "#c92a2a",
    "--mantine-color-teal-light-color": "#066649",
    "--mantine-color-yellow-light-color": "#7a4100",
    "--page": "#f8f9fb",
    "--line": "#e4e7ec",
    "--control-line": "#858c99",
  },
  dark: {
    "--mantine-color-dimmed": "#b8b8b8",
    "--mantine-color-placeholder": "#a0a0a0",
    "--mantine-color-error": "#ff8787",
    "--page": "#1b1b1b",
    "--line": "#3b3b3b",
    "--control-line": "#868686",
  },
});
