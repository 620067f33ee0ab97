/** The dashboard's theme: colours with enough contrast in light and dark, fonts and corner radii. */
import {
  Badge,
  Card,
  createTheme,
  Table,
  type CSSVariablesResolver,
  type MantineColorsTuple,
} from "@mantine/core";

const iris: MantineColorsTuple = [
  "#eef2ff",
  "#e0e7ff",
  "#c7d2fe",
  "#a5b4fc",
  "#818cf8",
  "#6366f1",
  "#4f46e5",
  "#4338ca",
  "#3730a3",
  "#312e81",
];

/** The colour of live mode and success: the dark end is readable as small text on the pale end. */
const teal: MantineColorsTuple = [
  "#ecfdf5",
  "#d1fae5",
  "#a7f3d0",
  "#6ee7b7",
  "#34d399",
  "#10b981",
  "#059669",
  "#047857",
  "#065f46",
  "#064e3b",
];

/** The colour of test mode and warnings: the library's yellow is too pale to read. */
const amber: MantineColorsTuple = [
  "#fffbeb",
  "#fef3c7",
  "#fde68a",
  "#fcd34d",
  "#fbbf24",
  "#f59e0b",
  "#d97706",
  "#b45309",
  "#92400e",
  "#78350f",
];

/** Mantine's dark mode greys, cooler. Index 0 is text, index 7 the page. */
const dark: MantineColorsTuple = [
  "#e4e6eb",
  "#b4b9c4",
  "#8b92a1",
  "#636b7c",
  "#3a404d",
  "#2b303a",
  "#1c2028",
  "#13161c",
  "#0e1116",
  "#0a0c10",
];

export const theme = createTheme({
  primaryColor: "iris",
  primaryShade: { light: 6, dark: 6 },
  colors: { iris, teal, amber, dark },
  defaultRadius: "md",
  fontFamily:
    'ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "Liberation Sans", sans-serif',
  fontFamilyMonospace:
    'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", "DejaVu Sans Mono", monospace',
  headings: { fontWeight: "620" },
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
      styles: { root: { textTransform: "none", fontWeight: 600 } },
    }),
    Table: Table.extend({
      defaultProps: { verticalSpacing: "sm" },
      styles: { th: { color: "var(--mantine-color-dimmed)", fontSize: 12.5, fontWeight: 550 } },
    }),
  },
});

/** Mantine's own dimmed, error and placeholder greys are too faint for small text. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    "--mantine-color-body": "#ffffff",
    "--mantine-color-dimmed": "#5b6270",
    "--mantine-color-placeholder": "#6b7280",
    "--mantine-color-error": "#c92a2a",
    "--page": "#f8f9fb",
    "--line": "#e4e7ec",
    "--control-line": "#858c99",
  },
  dark: {
    "--mantine-color-body": "#171a21",
    "--mantine-color-dimmed": "#a3aab8",
    "--mantine-color-placeholder": "#8b92a1",
    "--mantine-color-error": "#ff8787",
    "--page": "#0f1217",
    "--line": "#2b303a",
    "--control-line": "#727a8c",
    // Mantine's defaults are nearly black on a dark card.
    "--mantine-color-iris-light": "rgb(129 140 248 / 18%)",
    "--mantine-color-iris-light-color": "#c7d2fe",
    "--mantine-color-teal-light": "rgb(16 185 129 / 16%)",
    "--mantine-color-teal-light-color": "#6ee7b7",
    "--mantine-color-amber-light": "rgb(251 191 36 / 16%)",
    "--mantine-color-amber-light-color": "#fcd34d",
    "--mantine-color-red-light": "rgb(248 113 113 / 16%)",
    "--mantine-color-red-light-color": "#fca5a5",
    "--mantine-color-gray-light": "rgb(148 163 184 / 16%)",
    "--mantine-color-gray-light-color": "#cbd5e1",
  },
});
