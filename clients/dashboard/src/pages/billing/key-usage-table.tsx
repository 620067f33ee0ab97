/** A month's charges by API key. */
import { Table } from "@mantine/core";
import type { Schemas } from "../../api/client.ts";
import { tokens } from "../../components/value-format.ts";
import { useMoney } from "../../data/money.ts";

export function KeyUsageTable({ usage }: { usage: readonly Schemas["KeyUsage"][] }) {
  const inMoney = useMoney();
  return (
    <Table aria-label="Charges by API key" mb="lg">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>API key</Table.Th>
          <Table.Th ta="right">Generations</Table.Th>
          <Table.Th ta="right">Tokens</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {usage.map((key) => (
          <Table.Tr key={key.key_id ?? ""}>
            <Table.Td>{keyLabel(key)}</Table.Td>
            <Table.Td ta="right" className="number">
              {tokens(key.generations)}
            </Table.Td>
            <Table.Td ta="right" className="number">
              {tokens(key.tokens)}
              {inMoney(key.tokens) && ` (${inMoney(key.tokens)})`}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

/** The key's name; its id where there is none. */
export function keyLabel({
  key_id: id,
  key_name: name,
}: Pick<Schemas["KeyUsage"], "key_id" | "key_name">): string {
  return name ?? id ?? "Playground";
}
