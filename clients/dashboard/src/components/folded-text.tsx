/** A text. A long one is cut after its first lines, with a button to show the rest. */
import { Anchor, Text, type TextProps } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";

const FOLDED_LINES = 4;
/** Shorter texts fit these lines at any width that the dashboard shows them in. */
const FOLDED_LENGTH = 280;

type Props = TextProps & { text: string };

export function FoldedText({ text, ...rest }: Props) {
  const [isOpen, shown] = useDisclosure(false);
  const isLong = text.length > FOLDED_LENGTH || text.split("\n").length > FOLDED_LINES;
  const lines = isLong && !isOpen ? { lineClamp: FOLDED_LINES } : {};
  return (
    <div>
      <Text {...rest} {...lines} style={{ overflowWrap: "anywhere", whiteSpace: "pre-wrap" }}>
        {text}
      </Text>
      {isLong && (
        <Anchor component="button" type="button" size="sm" ta="left" onClick={shown.toggle}>
          {isOpen ? "Show less" : `Show all ${text.length.toLocaleString("en-US")} characters`}
        </Anchor>
      )}
    </div>
  );
}
