/** The search of every page: its button in the header, which Ctrl-K or Cmd-K presses too, and its dialog. */
import { Box, Button, VisuallyHidden } from "@mantine/core";
import { useDisclosure, useHotkeys } from "@mantine/hooks";
import { Search as SearchIcon } from "lucide-react";
import { Suspense } from "react";
import { useLocation } from "react-router";
import { Dialog } from "../components/dialog.tsx";
import { PageLoading } from "../components/states.tsx";
import { FaultBoundary } from "../faults/fault-boundary.tsx";
import { lazyPage } from "../faults/lazy-page.tsx";

const SHORTCUT = /Mac|iPhone|iPad/.test(navigator.userAgent) ? "⌘ K" : "Ctrl K";

/** Loaded when the dialog is first opened. */
const { Page: SearchForm } = lazyPage<{ onClose: () => void }>(() => import("./search-form.tsx"));

export function Search() {
  const [isOpen, dialog] = useDisclosure(false);
  const { pathname } = useLocation();
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
          <FaultBoundary page={pathname}>
            <Suspense fallback={<PageLoading />}>
              <SearchForm onClose={dialog.close} />
            </Suspense>
          </FaultBoundary>
        </Dialog>
      )}
    </>
  );
}
