/** The button that downloads a list as CSV. */
import { Button } from "@mantine/core";
import { Download } from "lucide-react";
import { BASE } from "../api/client.ts";
import { useScope } from "../data/scope.ts";

type Props = {
  /** What is downloaded, for screen readers: "CSV of charges". */
  name: string;
  /** The file's path in the account's part of the API. */
  file: string;
  /** What the list is filtered by. */
  filter: Record<string, string | undefined>;
};

export function CsvButton({ name, file, filter }: Props) {
  const { account, mode } = useScope();
  const query = new URLSearchParams({ mode });
  for (const [field, value] of Object.entries(filter)) if (value) query.set(field, value);
  return (
    <Button
      component="a"
      variant="default"
      flex="none"
      aria-label={`CSV of ${name}`}
      href={`${BASE}/accounts/${account.id}/${file}?${query.toString()}`}
      download
      leftSection={<Download size={15} aria-hidden />}
    >
      CSV
    </Button>
  );
}
