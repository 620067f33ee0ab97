/** The prompt as a soft caption at the lower edge, in a 5x7 dot font of its own: the image has no fonts. */
import type { SKRSContext2D } from "@napi-rs/canvas";
import { CELL_WIDTH, dotOf, MARGIN_DOTS, type Size } from "./spec.ts";

const GLYPH_HEIGHT = 7;
const LINE_HEIGHT = GLYPH_HEIGHT + 4;

export function drawCaption(context: SKRSContext2D, lines: readonly string[], size: Size): void {
  const dot = dotOf(size);
  const height = Math.min(size.height, dot * (lines.length * LINE_HEIGHT + 2 * MARGIN_DOTS));
  const top = size.height - height;
  const scrim = context.createLinearGradient(0, top, 0, size.height);
  scrim.addColorStop(0, "rgba(4, 6, 18, 0)");
  scrim.addColorStop(1, "rgba(4, 6, 18, 0.55)");
  context.fillStyle = scrim;
  context.fillRect(0, top, size.width, height);
  lines.forEach((line, index) => {
    const x = dot * MARGIN_DOTS;
    const y = top + dot * (MARGIN_DOTS + index * LINE_HEIGHT + 2);
    context.fillStyle = "rgba(0, 0, 10, 0.4)";
    drawLine(context, line, x + dot * 0.5, y + dot * 0.5, dot);
    context.fillStyle = "rgba(255, 255, 255, 0.88)";
    drawLine(context, line, x, y, dot);
  });
}

function drawLine(context: SKRSContext2D, line: string, x: number, y: number, dot: number): void {
  line.split("").forEach((character, index) => {
    const glyph = TABLE[(character.codePointAt(0) ?? 0) - 0x20] ?? BOX;
    glyph.forEach((bits, column) => {
      const left = x + dot * (index * CELL_WIDTH + column);
      for (let row = 0; row < GLYPH_HEIGHT; row++) {
        if ((bits & (1 << row)) !== 0) context.fillRect(left, y + dot * row, dot, dot);
      }
    });
  });
}

/** Five columns a glyph, two hex digits each, lowest bit on top; from space to tilde. */
const GLYPHS =
  "0000000000 00005f0000 0007000700 147f147f14 242a7f2a12 2313086462 3649552250 0005030000 " +
  "001c224100 0041221c00 082a1c2a08 08083e0808 0050300000 0808080808 0060600000 2010080402 " +
  "3e5149453e 00427f4000 4261514946 2141454b31 1814127f10 2745454539 3c4a494930 0171090503 " +
  "3649494936 064949291e 0036360000 0056360000 0008142241 1414141414 4122140800 0201510906 " +
  "324979413e 7e1111117e 7f49494936 3e41414122 7f4141221c 7f49494941 7f09090101 3e41415132 " +
  "7f0808087f 00417f4100 2040413f01 7f08142241 7f40404040 7f0204027f 7f0408107f 3e4141413e " +
  "7f09090906 3e4151215e 7f09192946 4649494931 01017f0101 3f4040403f 1f2040201f 7f2018207f " +
  "6314081463 0304780403 6151494543 007f414100 0204081020 0041417f00 0402010204 4040404040 " +
  "0001020400 2054545478 7f48444438 3844444420 384444487f 3854545418 087e090102 081454543c " +
  "7f08040478 00447d4000 2040443d00 007f102844 00417f4000 7c04180478 7c08040478 3844444438 " +
  "7c14141408 081414187c 7c08040408 4854545420 043f444020 3c4040207c 1c2040201c 3c4030403c " +
  "4428102844 0c5050503c 4464544c44 0008364100 00007f0000 0041360800 1008081008";

/** Where the font has no glyph. */
const BOX = Buffer.from("7f4141417f", "hex");
const TABLE = GLYPHS.split(" ").map((columns) => Buffer.from(columns, "hex"));
