import type { Direction, ExitReason, Timeframe } from "@/lib/vocabulary";

/** An event as it is stored with its delivery. Instants are epoch milliseconds. */
export type ChannelEvent =
  | {
      type: "signal";
      symbol: string;
      timeframe: Timeframe;
      signal: Direction;
      confidence: number;
      validUntilMs: number;
      /** Decimal places of the symbol. */
      digits: number;
      targetPrice: number | null;
      stopPrice: number | null;
    }
  | {
      type: "result";
      symbol: string;
      timeframe: Timeframe;
      signal: Direction;
      /** Open time of the signal's candle. */
      tsMs: number;
      label: Direction;
      resultR: number | null;
      exitReason: ExitReason | null;
    }
  | {
      type: "incident";
      /** The component, or the title of an incident by an administrator. */
      component: string;
      severity: string;
      isOver: boolean;
      atMs: number;
      /** Newest update of an incident by an administrator. */
      message?: string;
    }
  | { type: "test" };
