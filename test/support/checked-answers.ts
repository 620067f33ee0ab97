/** Fails each test that fetched an API response which violates the document. It is evaluated anew for each file. */
import { afterAll, afterEach } from "vitest";
import { throwViolations } from "./checked-fetch.ts";

afterEach(throwViolations);
afterAll(throwViolations);
