import type { Direction, ExitReason, Timeframe } from "@/lib/vocabulary";

/** What a channel tells, as it is stored with its delivery. Instants are epoch milliseconds. */
export type ChannelEvent =
  | {
      type: "signal";
      symbol: string;
      timeframe: Timeframe;
      signal: Direction;
      confidence: number;
      validUntilMs: number;
      /** Of the symbol. */
      digits: number;
      targetPrice: number | null;
      stopPrice: number | null;
    }
  | {
      type: "result";
      symbol: string;
      timeframe: Timeframe;
      signal: Direction;
      /** The candle of the signal. */
      tsMs: number;
      label: Direction;
      resultR: number | null;
      exitReason: ExitReason | null;
    }
  | {
      type: "incident";
      /** The part of the service, or the title of an incident that an administrator wrote. */
      component: string;
      severity: string;
      isOver: boolean;
      atMs: number;
      /** The newest update of one that an administrator wrote. */
      message?: string;
    }
  | { type: "test" };
