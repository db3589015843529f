import type { ReactNode } from "react";
import { Card } from "@/app/_components/card";

/** What the marks of the record mean, each said once. */
export const WORDS = {
  slot: {
    mark: "Slot",
    text: "One symbol on one timeframe, such as EURUSD H1. Each has a model of its own.",
  },
  r: {
    mark: "R",
    text: "The distance from entry to stop. Following a signal to its stop loses 1 R, before costs; a typical cost of a round trip is taken off every result.",
  },
  followed: {
    mark: "Followed",
    text: "Signals that said BUY or SELL and whose 12 later candles have closed. NO TRADE is not followed, but counts among the forecasts.",
  },
  interval: {
    mark: "95 % interval",
    text: "Where the true value probably lies. A wide one means: few results, do not conclude. Results that overlap in time count once in it.",
  },
  coin: {
    mark: "Coin",
    text: "A bot that follows the same signals at the same moments, but lets a fixed pseudo-random bit choose between BUY and SELL. What the model earns beyond it is not luck of the moments.",
  },
  frequencies: {
    mark: "Class frequencies",
    text: "A bot that knows only how often BUY, SELL and NO TRADE came in the training data, and always forecasts that. It is the baseline of the skill.",
  },
  skill: {
    mark: "Skill",
    text: "By how much the forecasts' squared error (Brier score) is smaller than that of the class frequencies. 0 % is no better, 100 % would be perfect; below zero is worse.",
  },
  drawdown: {
    mark: "Drawdown",
    text: "How far the sum of results fell below its best so far, by day.",
  },
  shown: {
    mark: "Shown",
    text: "A bet against luck has grown so far that luck is no longer a good explanation. The test may be looked at every day, and it asks more the more slots there are.",
  },
  ece: {
    mark: "ECE",
    text: "Expected calibration error: how far what it says lies from what happens, on average over the ten bins.",
  },
  murphy: {
    mark: "Reliability, resolution, uncertainty",
    text: "The squared error of the confidence in three parts (Murphy): what is lost because the words do not fit (smaller is better), what is gained by telling cases apart (larger is better), and how uncertain the matter itself is.",
  },
} as const satisfies Record<string, { mark: string; text: string }>;
export type Word = keyof typeof WORDS;

/** The marks of a page in words. */
export function Words({ of, children }: { of: readonly Word[]; children?: ReactNode }) {
  return (
    <Card title="Words on this page">
      <dl className="grid gap-x-10 gap-y-5 text-sm sm:grid-cols-2">
        {of.map((word) => (
          <div key={word} id={`word-${word}`} className="scroll-mt-24">
            <dt className="font-semibold">{WORDS[word].mark}</dt>
            <dd className="mt-1 text-muted">{WORDS[word].text}</dd>
          </div>
        ))}
      </dl>
      {children}
    </Card>
  );
}
