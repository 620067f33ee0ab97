/** `npm run bench -- NAME OPTIONS…` runs test/bench/NAME.ts. */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

// Processes that a benchmark started are ended with it at its exit, which a signal alone would skip.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

const [name = ""] = process.argv.splice(2, 1);
const path = fileURLToPath(new URL(`./${name}.ts`, import.meta.url));
if (!/^[a-z-]+$/.test(name) || !existsSync(path)) {
  process.stderr.write(
    "usage: npm run bench -- api [--seconds N] [--rows TEXT] [--fleet] [--plain] [--durable]\n" +
      "       npm run bench -- engine [--tasks N] [--flight N] [--seconds N]\n" +
      "       npm run bench -- delivery [--deliveries N]\n" +
      "       npm run bench -- overload [--seconds N] [--fleet]\n",
  );
  process.exitCode = 2;
} else {
  await import(path);
}
