/** A message of the service, in which the paths of documents are links. */
import { Anchor } from "@mantine/core";

export function Message({ text }: { text: string }) {
  return text.split(/(\/docs\/[\w/#-]+)/).map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      <Anchor key={index} href={part} underline="always" inherit>
        {part}
      </Anchor>
    ),
  );
}
