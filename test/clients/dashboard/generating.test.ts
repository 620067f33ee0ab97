/** The dashboard of a user who generates, from signing up to what was charged. */
import { describe } from "vitest";
import { keepsToItself, sharedContext } from "./context.ts";
import { billing } from "./suites/billing.ts";
import { chosenGenerations } from "./suites/chosen-generations.ts";
import { faults } from "./suites/faults.ts";
import { generations } from "./suites/generations.ts";
import { apiKeys } from "./suites/keys.ts";
import { playground } from "./suites/playground.ts";
import { signingIn } from "./suites/signing-in.ts";

describe("the dashboard", () => {
  const context = sharedContext();

  // The order matters: each suite leaves the page signed in for the next.
  signingIn(context);
  faults(context);
  playground(context);
  generations(context);
  chosenGenerations(context);
  apiKeys(context);
  billing(context);
  keepsToItself(context);
});
