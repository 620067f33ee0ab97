/** The button that downloads a list as CSV. */
import { Button } from "@mantine/core";
import { Download } from "lucide-react";
import { type Operation, urlOf } from "../api/client.ts";
import { useScope } from "../data/scope.ts";

type Props = {
  /** What is downloaded, for screen readers: "CSV of charges". */
  name: string;
  operation: Operation;
  /** What the list is filtered by. */
  filter: Record<string, string | undefined>;
};

export function CsvButton({ name, operation, filter }: Props) {
  const { account, mode } = useScope();
  return (
    <Button
      component="a"
      variant="default"
      aria-label={`CSV of ${name}`}
      href={urlOf(operation, { account_id: account.id, mode, ...filter })}
      download
      leftSection={<Download size={15} aria-hidden />}
    >
      CSV
    </Button>
  );
}
