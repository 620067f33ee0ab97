/** The button below a list that loads its next page; nothing when there is none. */
import { Stack } from "@mantine/core";
import type { UseInfiniteQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { BusyButton } from "./form/busy-button.tsx";

type Props = {
  list: Pick<UseInfiniteQueryResult, "hasNextPage" | "isFetchingNextPage" | "fetchNextPage">;
  label?: string;
  /** A note above the button. */
  children?: ReactNode;
};

export function ShowMore({ list, label = "Show more", children }: Props) {
  if (!list.hasNextPage) return null;
  return (
    <Stack align="center" gap={6} mt="md">
      {children}
      <BusyButton
        variant="default"
        isBusy={list.isFetchingNextPage}
        onClick={() => void list.fetchNextPage()}
      >
        {label}
      </BusyButton>
    </Stack>
  );
}
