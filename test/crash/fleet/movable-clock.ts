/** Loaded into a process before its program: SIGUSR2 moves the process's clock by CLOCK_OFFSET_MS, and back. */
const RealDate = Date;
const offsetMs = Number(process.env["CLOCK_OFFSET_MS"] ?? 0);

const movedNow = () => RealDate.now() + offsetMs;
const MovedDate = new Proxy(RealDate, {
  construct: (target, args: [], newTarget) =>
    Reflect.construct(target, args.length === 0 ? [movedNow()] : args, newTarget) as object,
  get: (target, name) => (name === "now" ? movedNow : (Reflect.get(target, name) as unknown)),
});

process.on("SIGUSR2", () => {
  globalThis.Date = globalThis.Date === RealDate ? MovedDate : RealDate;
});
