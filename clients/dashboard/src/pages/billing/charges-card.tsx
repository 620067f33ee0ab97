/** What a month's generations cost, each with its prompt. */
import { Text } from "@mantine/core";
import { Receipt } from "lucide-react";
import type { Schemas } from "../../api/client.ts";
import { CsvButton } from "../../components/csv-button.tsx";
import { DataTable } from "../../components/data-table.tsx";
import { Section } from "../../components/page-head.tsx";
import { Empty } from "../../components/states.tsx";
import { Amount, Note, TextLink, Words } from "../../components/texts.tsx";
import { keyLabel } from "../../data/generation.ts";
import { useList } from "../../data/queries.ts";
import { useScope } from "../../data/scope.ts";
import { useMonth } from "./use-month.tsx";

type Charge = Schemas["Charge"];

const idOf = ({ generation_id: id }: Charge) => id;

export function ChargesCard() {
  const [month, field] = useMonth("charges");
  const charges = useList("listCharges", { month }, { idOf });
  return (
    <Section
      title="Charged generations"
      actions={
        <>
          {field}
          <CsvButton name="charges" operation="downloadCharges" filter={{ month }} />
        </>
      }
    >
      <DataTable
        label="Charged generations"
        list={charges}
        keyOf={idOf}
        empty={<Empty icon={Receipt} title="Nothing was charged" />}
        columns={[
          { head: "Generation", cell: (charge) => <Generation charge={charge} /> },
          { head: "API key", from: 500, cell: keyLabel },
          { head: "Tokens", isRight: true, cell: (one) => <Amount amount={one.tokens} /> },
          { head: "Charged", time: ({ charged_at: at }) => at, from: 500 },
        ]}
      />
    </Section>
  );
}

function Generation({ charge }: { charge: Charge }) {
  const { to, may } = useScope();
  const { generation_id: id, prompt, model } = charge;
  return (
    <>
      <Text size="sm" lineClamp={2}>
        {may("retrieveGeneration") && prompt !== "" ? (
          <TextLink to={to(`generations/${id}`)}>{prompt}</TextLink>
        ) : (
          prompt || `${id} (its input was deleted)`
        )}
      </Text>
      <Note>
        <Words text={model} />
      </Note>
    </>
  );
}
