/** What the bar of the dashboard says about the network and live updates. */
import { expect, it } from "vitest";
import {
  nextConnection,
  type ConnectionEvent,
} from "../../../clients/dashboard/src/live/connection.ts";

it.each<[string, string, ConnectionEvent[]]>([
  ["nothing when live updates open", "live", ["opened"]],
  ["that live updates stopped", "stopped", ["opened", "failed"]],
  ["that they are back", "back", ["opened", "failed", "opened"]],
  ["nothing more once that was read", "live", ["failed", "opened", "noticed"]],
  ["that the network is gone, whatever else failed", "offline", ["failed", "offline", "failed"]],
  ["that live updates are missing until they open again", "stopped", ["offline", "online"]],
  ["that they are back after the network", "back", ["offline", "online", "opened"]],
  [
    "that they stopped, though it said that they were back",
    "stopped",
    ["failed", "opened", "failed", "noticed"],
  ],
])("the bar says %s", (_what, said, events) => {
  expect(events.reduce(nextConnection, "live")).toBe(said);
});
