/** The form's request as code, for a server with an API key. */
import { Card, Title } from "@mantine/core";
import { SampleTabs } from "../../components/sample-tabs.tsx";
import { createRequest } from "../../data/samples.ts";
import type { Request } from "./form-values.ts";

export function CodeSamples({ request: { kind, body } }: { request: Request }) {
  return (
    <Card component="section" aria-labelledby="request-code">
      <Title order={2} id="request-code" fz={16} mb="xs">
        This request as code
      </Title>
      <SampleTabs request={createRequest(kind, body)} />
    </Card>
  );
}
