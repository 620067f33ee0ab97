/** The state of a list whose filters match nothing. */
import { Button } from "@mantine/core";
import { SearchX } from "lucide-react";
import { Empty } from "./empty.tsx";

type Props = { title?: string; onClear: () => void };

export function NoMatches({ title = "No matches", onClear }: Props) {
  return (
    <Empty
      icon={SearchX}
      title={title}
      action={
        <Button variant="light" mt="xs" onClick={onClear}>
          Clear the filters
        </Button>
      }
    />
  );
}
