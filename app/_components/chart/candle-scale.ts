import { type Domain, paddedDomain } from "@/lib/engine/chart/scale";

/** As many of the newest candles as a phone has room for. */
export const PHONE_CANDLES = 60;
/** Over and under the prices of a chart so much of their span stays free. */
const PRICE_AIR = 0.1;

/** From which to which price a chart of candles reaches: the picture and the chart that takes its place alike. */
export const priceDomain = (prices: readonly number[]): Domain => paddedDomain(prices, { air: PRICE_AIR });
