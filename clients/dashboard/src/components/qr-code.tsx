/** A QR code, drawn in the browser: nobody else is given its text. */
import encodeQR from "qr";

/** Scanners need it around the code, in modules. */
const BORDER = 4;
const SIZE_PX = 200;

/** `label` says what it encodes, for whoever cannot see it. It is black on white in dark mode too, as scanners expect. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const rows = encodeQR(text, "raw", { border: BORDER });
  const dark = rows.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
  );
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${rows.length} ${rows.length}`}
      width={SIZE_PX}
      height={SIZE_PX}
      shapeRendering="crispEdges"
    >
      <rect width="100%" height="100%" fill="#fff" />
      <path d={dark.join("")} fill="#000" />
    </svg>
  );
}
