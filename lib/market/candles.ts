/** Columns of one slot's candles, oldest first. `ts` is the open time in epoch milliseconds; missing candles are left out. */
export interface CandleSeries {
  ts: Float64Array;
  open: Float64Array;
  high: Float64Array;
  low: Float64Array;
  close: Float64Array;
  volume: Float64Array;
}
