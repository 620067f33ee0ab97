/**
 * Runs the samples in the files that are given, at the same time and within this one process; prints what each printed,
 * as JSON. A sample that throws ends all.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { pathToFileURL } from "node:url";
import { format } from "node:util";

const printed = new AsyncLocalStorage();
const write = process.stdout.write.bind(process.stdout);
const keep = (text) => void printed.getStore()?.push(text);
process.stdout.write = (chunk) => {
  keep(String(chunk));
  return true;
};
Object.assign(console, { log: (...values) => keep(`${format(...values)}\n`) });

const outputs = await Promise.all(
  process.argv.slice(2).map((file) => {
    const own = [];
    return printed.run(own, async () => {
      await import(pathToFileURL(file));
      return own;
    });
  }),
);
write(JSON.stringify(outputs.map((own) => own.join(""))));
