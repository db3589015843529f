import { parseSymbol } from "@/lib/market/symbols";
import { parseTimeframe, TIMEFRAME_RULE } from "@/lib/market/timeframes";
import { textParam } from "@/lib/wire/params";

/** Optional `symbol` filter: any case, trimmed; empty counts as absent, malformed is 422. */
export const symbolFilter = () => textParam(parseSymbol, "must be a symbol such as EURUSD");

/** Optional `tf_code` filter, in the same way. */
export const timeframeFilter = () => textParam(parseTimeframe, TIMEFRAME_RULE);
