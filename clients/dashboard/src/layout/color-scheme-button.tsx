/** The button that changes the colours: light, dark, or as the system. */
import { ActionIcon, useMantineColorScheme } from "@mantine/core";
import { Monitor, Moon, Sun } from "lucide-react";

const SCHEMES = {
  light: { name: "light", icon: Sun, next: "dark" },
  dark: { name: "dark", icon: Moon, next: "auto" },
  auto: { name: "same as system", icon: Monitor, next: "light" },
} as const;

export function ColorSchemeButton() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const { name, icon: Icon, next } = SCHEMES[colorScheme];
  const label = `Colours: ${name}`;
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="lg"
      title={label}
      aria-label={label}
      onClick={() => setColorScheme(next)}
    >
      <Icon size={18} aria-hidden />
    </ActionIcon>
  );
}
