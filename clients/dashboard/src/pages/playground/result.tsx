/** The outcome of the latest request, or of the run that was chosen: progress, then the video, the picture or the error. */
import { Loader, Stack, Text } from "@mantine/core";
import { Clapperboard } from "lucide-react";
import type { Ref } from "react";
import { useGeneration } from "../../data/queries.ts";
import { Empty, Failure } from "../../components/states.tsx";
import { Section } from "../../components/page-head.tsx";
import { FoldedText, StatusBadge, TextLink } from "../../components/texts.tsx";
import { GenerationOutcome } from "../../components/generation-outcome.tsx";
import { useScope } from "../../data/scope.ts";
import type { Submit } from "./submit.tsx";

type Props = { ref: Ref<HTMLElement>; id: string | undefined; submit: Submit };

export function Result({ ref, id, submit: { isPending, error } }: Props) {
  const { to } = useScope();
  const view = useGeneration(id);
  const generation = view.data?.generation;
  return (
    <Section
      title="Result"
      ref={ref}
      actions={
        generation &&
        !isPending &&
        !error && (
          <>
            <StatusBadge status={generation.status} />
            <TextLink to={to(`generations/${generation.id}`)}>Details</TextLink>
          </>
        )
      }
    >
      {isPending || view.isLoading ? (
        <Stack align="center" py={56} role="status">
          <Loader type="dots" />
          <Text size="sm" c="dimmed">
            {isPending ? "Sending. A picture takes a few seconds." : "Loading."}
          </Text>
        </Stack>
      ) : error ? (
        <Failure error={error} />
      ) : generation ? (
        <Stack>
          {view.error && <Failure error={view.error} />}
          <GenerationOutcome generation={generation} />
          <FoldedText c="dimmed" text={generation.input.prompt} />
        </Stack>
      ) : view.error ? (
        <Failure error={view.error} retry={() => void view.refetch()} />
      ) : (
        <Empty icon={Clapperboard} title="Your video or picture will play here">
          Choose a model, describe what you want to see, and press Generate.
        </Empty>
      )}
    </Section>
  );
}
