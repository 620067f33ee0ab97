/** What a prompt is about: the words in it choose the kind of land and the time of day. */
import type { Hour } from "./palette.ts";
import type { Random } from "./random.ts";

export type Land = "hills" | "peaks" | "city" | "forest" | "sea" | "space";

export type Theme = { readonly land: Land; readonly hour: Hour };

const LANDS: readonly [Land, ...Land[]] = ["hills", "peaks", "city", "forest", "sea"];
const HOURS: readonly [Hour, ...Hour[]] = ["dawn", "day", "dusk", "night"];

const LAND_WORDS: readonly (readonly [Land, RegExp])[] = [
  ["sea", /\b(seas?|oceans?|waves?|beach|lakes?|rivers?|waters?|boats?|ships?|sail\w*|whales?)\b/],
  ["city", /\b(city|cities|streets?|towers?|skyline|buildings?|neon|cars?|urban|town|robots?)\b/],
  ["forest", /\b(forests?|trees?|woods?|jungle|fox(es)?|deer|pines?|garden|birds?)\b/],
  ["peaks", /\b(mountains?|peaks?|snow\w*|alps?|cliffs?|canyons?|volcano\w*|dragons?)\b/],
  ["space", /\b(space|galax\w+|planets?|stars|cosm\w+|nebula\w*|astronauts?|rockets?|orbit\w*)\b/],
  ["hills", /\b(hills?|fields?|meadows?|valleys?|deserts?|dunes?|farms?|grass)\b/],
];

const HOUR_WORDS: readonly (readonly [Hour, RegExp])[] = [
  ["night", /\b(night|midnight|moon\w*|dark|stars|neon|space)\b/],
  ["dusk", /\b(sunset|dusk|evening|golden|twilight)\b/],
  ["dawn", /\b(sunrise|dawn|morning|mist\w*|pink)\b/],
  ["day", /\b(day|noon|sunny|bright|summer|blue)\b/],
];

/** The theme of a prompt; where no word decides, chance does. */
export function themeOf(prompt: string, random: Random): Theme {
  const text = prompt.toLowerCase();
  const drawn = { land: random.pick(LANDS), hour: random.pick(HOURS) };
  const land = LAND_WORDS.find(([, words]) => words.test(text))?.[0] ?? drawn.land;
  const hour = HOUR_WORDS.find(([, words]) => words.test(text))?.[0] ?? drawn.hour;
  return { land, hour: land === "space" ? "night" : hour };
}
