/** Takes the pictures of every page for docs/screenshots: `node scripts/run.mjs test/dashboard/screenshots.ts`. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { clientOf, newCustomer } from "../support/customer.ts";
import { oneProcess } from "../support/whole-service.ts";
import { startChromium } from "./chromium.ts";
import { ADA, makeKey, placeOf, signUp } from "./person.ts";

const DIRECTORY = fileURLToPath(new URL("../../docs/screenshots/", import.meta.url));

const LOOKS = [
  { name: "light", colorScheme: "light", viewport: { width: 1280, height: 860 } },
  { name: "dark", colorScheme: "dark", viewport: { width: 1280, height: 860 } },
  { name: "phone", colorScheme: "light", viewport: { width: 390, height: 844 } },
] as const;
