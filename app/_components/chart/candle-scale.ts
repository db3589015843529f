import { type Domain, paddedDomain } from "@/lib/engine/chart/scale";

/** Number of newest candles that fit on a phone. */
export const PHONE_CANDLES = 60;
/** Free margin above and below the prices, as a share of their range. */
const PRICE_AIR = 0.1;

/** The price range of a chart, shared by the static picture and the interactive chart. */
export const priceDomain = (prices: readonly number[]): Domain => paddedDomain(prices, { air: PRICE_AIR });
