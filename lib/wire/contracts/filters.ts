import { parseSymbol } from "@/lib/market/symbols";
import { parseTimeframe, UNKNOWN_TIMEFRAME_MESSAGE } from "@/lib/market/timeframes";
import { parseIsoInstant } from "@/lib/time";
import { textParam } from "@/lib/wire/params";

/** Optional `symbol` filter: any case, trimmed. Empty counts as absent, and a malformed one is 422. */
export const symbolFilter = () => textParam(parseSymbol, "must be a symbol such as EURUSD");

/** Optional `tf_code` filter, parsed like symbolFilter. */
export const timeframeFilter = () => textParam(parseTimeframe, UNKNOWN_TIMEFRAME_MESSAGE);

/** Optional filter of a UTC day, `YYYY-MM-DD`; the value stays text. */
export const dayFilter = () =>
  textParam((text) => (parseDay(text) ? text.trim() : null), "must be a date such as 2026-11-20");

/** Optional filter of an instant: ISO 8601, or a day, which means its start in UTC. */
export const instantFilter = () =>
  textParam(
    (text) => parseIsoInstant(text) ?? parseDay(text),
    "must be an ISO 8601 date, with or without a time",
  );

const parseDay = (text: string): Date | null =>
  /^\d{4}-\d{2}-\d{2}$/.test(text.trim()) ? parseIsoInstant(`${text.trim()}T00:00`) : null;
