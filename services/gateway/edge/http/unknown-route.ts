/** What a request gets whose path or method is not there. */
import type { FastifyInstance } from "fastify";
import { Problem } from "./problem.ts";

/** "GET, HEAD or POST". */
const ONE_OF = new Intl.ListFormat("en-GB", { type: "disjunction" });

/** `methods`: those that the request's path has. `hint` says what was probably meant. */
export function unknownRoute(
  method: string,
  methods: readonly string[],
  hint: () => string | undefined = () => undefined,
): Problem {
  if (methods.length === 0) return notFound(hint());
  return new Problem("method_not_allowed", {
    message: `This path does not have ${method}. Use ${ONE_OF.format(methods)}.`,
    headers: { Allow: methods.join(", ") },
  });
}

function notFound(hint: string | undefined): Problem {
  if (hint === undefined) return new Problem("route_not_found");
  return new Problem("route_not_found", { message: `This path does not exist. ${hint}` });
}

/** Collects the methods of each path, for routes that no document describes. Call it before any of them is registered. */
export function collectMethods(app: FastifyInstance): (url: string) => string[] {
  const routes: { url: string; methods: string[] }[] = [];
  app.addHook("onRoute", ({ url, method }) => {
    routes.push({ url, methods: [method].flat() });
  });
  return (url) => {
    const path = url.split("?", 1)[0] ?? "";
    const found = routes.filter((route) => matches(route.url, path));
    return [...new Set(found.flatMap(({ methods }) => methods))].toSorted();
  };
}

function matches(pattern: string, path: string): boolean {
  return pattern.endsWith("/*") ? path.startsWith(pattern.slice(0, -1)) : path === pattern;
}
