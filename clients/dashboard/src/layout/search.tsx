/** The search of every page: its button in the header, which Ctrl-K or Cmd-K presses too, and its dialog. */
import { Box, Button, VisuallyHidden } from "@mantine/core";
import { useDisclosure, useHotkeys } from "@mantine/hooks";
import { Search as SearchIcon } from "lucide-react";
import { Dialog } from "../components/dialog.tsx";
import { SearchForm } from "./search-form.tsx";

const SHORTCUT = /Mac|iPhone|iPad/.test(navigator.userAgent) ? "⌘ K" : "Ctrl K";

export function Search() {
  const [isOpen, dialog] = useDisclosure(false);
  // Also while a field has the focus.
  useHotkeys([["mod+K", dialog.open]], []);
  return (
    <>
      <Button
        variant="default"
        fw={400}
        c="dimmed"
        aria-keyshortcuts="Control+K Meta+K"
        onClick={dialog.open}
      >
        <SearchIcon size={15} aria-hidden />
        <VisuallyHidden>Search</VisuallyHidden>
        <Box component="span" visibleFrom="md" ml={8} aria-hidden>
          Search <small>{SHORTCUT}</small>
        </Box>
      </Button>
      {isOpen && (
        <Dialog title="Search" onClose={dialog.close}>
          <SearchForm onClose={dialog.close} />
        </Dialog>
      )}
    </>
  );
}
