import { parseSymbol } from "@/lib/market/symbols";
import { parseTimeframe } from "@/lib/market/timeframes";
import { textParam } from "@/lib/wire/params";

/** Optional `symbol` filter: any case, trimmed; empty counts as absent, malformed is 422. */
export const symbolFilter = () => textParam(parseSymbol, "must be a symbol such as EURUSD");

/** Optional `tf_code` filter, in the same way. */
export const timeframeFilter = () =>
  textParam(parseTimeframe, "must be one of M1 M5 M15 M30 H1 H4 D1 W1 MN1");
