import { parseSymbol } from "@/lib/market/symbols";
import { parseTimeframe } from "@/lib/market/timeframes";
import { invalidField } from "@/lib/wire/errors";

const MOST_SLOTS = 200;

/** Slots typed as `EURUSD/H1`, separated by blanks, commas or lines. Throws 422 naming the first that is none. */
export function parseSlots(text: string): string[] {
  const slots = new Set<string>();
  for (const word of text.split(/[\s,;]+/).filter(Boolean)) {
    const [symbolText = "", timeframeText = "", ...more] = word.split("/");
    const symbol = parseSymbol(symbolText);
    const timeframe = parseTimeframe(timeframeText);
    if (symbol === null || !timeframe || more.length > 0)
      throw invalidField("body", "slots", `"${word.slice(0, 40)}" is not a slot such as EURUSD/H1`);
    slots.add(`${symbol}/${timeframe}`);
  }
  if (slots.size === 0) throw invalidField("body", "slots", "name at least one slot, such as EURUSD/H1");
  if (slots.size > MOST_SLOTS) throw invalidField("body", "slots", `name at most ${MOST_SLOTS} slots`);
  return [...slots];
}
