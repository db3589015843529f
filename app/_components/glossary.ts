/** The words of the product, each explained once: on the glossary's page and wherever their mark stands. */
export const GLOSSARY = {
  signal: {
    mark: "Signal",
    text: "What a model says when a candle closes: BUY, SELL or NO TRADE, with the probability of each. Once given it never changes.",
  },
  slot: {
    mark: "Slot",
    text: "One symbol on one timeframe, such as EURUSD H1. Each has a model of its own.",
  },
  noTrade: {
    mark: "NO TRADE",
    text: "The answer that neither direction is worth its cost on this candle. It is given, shown and counted like the others.",
  },
  confidence: {
    mark: "Confidence",
    text: "How likely the model thinks its own answer is, from 0 to 100 %. It says nothing about how much there is to earn.",
  },
  stale: {
    mark: "Stale",
    text: "Too old to follow: the signal's candle closed more than one timeframe and 15 minutes (or what is set for the slot) ago, counted in minutes in which its market was open.",
  },
  regime: {
    mark: "Regime",
    text: "What kind of market the candle closed in: trend up, trend down, range, volatile, or unknown. It describes the past candles and forecasts nothing.",
  },
  model: {
    mark: "Model",
    text: "The program that makes the signals of a slot. Each version has a name; the one in force is the champion, and another takes its place only when it did better on signals that neither had seen.",
  },
  walkForward: {
    mark: "Walk-forward",
    text: "A test in which a model is trained on the past and judged on what came next, again and again, so that it never sees what it is judged on.",
  },
  r: {
    mark: "R",
    text: "The distance from entry to stop. Following a signal to its stop loses 1 R, before costs; a typical cost of a round trip is taken off every result.",
  },
  followed: {
    mark: "Followed",
    text: "Signals that said BUY or SELL and whose 12 later candles have closed. NO TRADE is not followed, but counts among the forecasts.",
  },
  winRate: {
    mark: "Win rate",
    text: "The share of results above zero, of those that are not zero. Without the size of wins and losses it does not tell whether money was made.",
  },
  interval: {
    mark: "95 % interval",
    text: "Where the true value probably lies. A wide one means: few results, do not conclude. Results that overlap in time count once in it.",
  },
  drawdown: {
    mark: "Drawdown",
    text: "How far the sum of results fell below its best so far, by day.",
  },
  coin: {
    mark: "Coin",
    text: "A bot that follows the same signals at the same moments, but lets a fixed pseudo-random bit choose between BUY and SELL. What the model earns beyond it is not luck of the moments.",
  },
  frequencies: {
    mark: "Class frequencies",
    text: "A bot that knows only how often BUY, SELL and NO TRADE came in the training data, and always forecasts that. It is the baseline of the skill.",
  },
  baseline: {
    mark: "Baseline",
    text: "What somebody who knows nothing would reach, to compare with. Of a Brier score it is that of the class frequencies; of a win rate the better of always BUY and always SELL.",
  },
  brier: {
    mark: "Brier",
    text: "Brier score: the squared error of the three probabilities, summed, from 0 to 2. Lower is better.",
  },
  skill: {
    mark: "Skill",
    text: "By how much the forecasts' squared error (Brier score) is smaller than that of the class frequencies. 0 % is no better, 100 % would be perfect; below zero is worse.",
  },
  ece: {
    mark: "ECE",
    text: "Expected calibration error: how far what it says lies from what happens, on average over the ten bins.",
  },
  calibration: {
    mark: "Calibration",
    text: "Whether the words hold: of cases in which a model says 60 %, about 60 of 100 should come true. Drifting means that it is off by more than chance explains.",
  },
  murphy: {
    mark: "Reliability, resolution, uncertainty",
    text: "The squared error of the confidence in three parts (Murphy): what is lost because the words do not fit (smaller is better), what is gained by telling cases apart (larger is better), and how uncertain the matter itself is.",
  },
  shown: {
    mark: "Shown",
    text: "A bet against luck has grown so far that luck is no longer a good explanation. The test may be looked at every day, and it asks more of a slot the more slots there are. Of all slots together it takes the mean of their evidence, which holds whatever they have in common.",
  },
  ledger: {
    mark: "Ledger",
    text: "A list that can only grow, in which a fingerprint of each signal is written when it is made. With it you can check which signals were committed in time, and that none was changed later.",
  },
  simulated: {
    mark: "Simulated",
    text: "Prices and signals that this installation makes up, to try the service with. Trends are built in that a model can find; they say nothing about real markets.",
  },
  ea: {
    mark: "EA",
    text: "Expert Advisor: a program that runs on a chart in MetaTrader and trades there. Yours reads the signals and decides what to do with them.",
  },
  position: {
    mark: "Position",
    text: "A trade that your EA opened at your broker and reported here. In the interface such a report is called an execution.",
  },
  ticket: {
    mark: "Ticket",
    text: "Your trading platform's number of a position. A second report with the same ticket changes the first and adds none.",
  },
  slippage: {
    mark: "Slippage",
    text: "How much worse than the signal's price a position was opened.",
  },
  key: {
    mark: "Key",
    text: "What a program identifies itself with. It is shown once; only a fingerprint of it is kept, so nobody can read it back to you.",
  },
  plan: {
    mark: "Plan",
    text: "What a subscription includes: which symbols and timeframes, and how many requests in a minute.",
  },
} as const satisfies Record<string, { mark: string; text: string }>;
export type GlossaryWord = keyof typeof GLOSSARY;

/** The glossary's page, in the order in which it is read. */
export const GLOSSARY_GROUPS: readonly { id: string; title: string; words: readonly GlossaryWord[] }[] = [
  {
    id: "signals",
    title: "Signals",
    words: [
      "signal",
      "slot",
      "noTrade",
      "confidence",
      "stale",
      "regime",
      "model",
      "walkForward",
      "simulated",
    ],
  },
  {
    id: "results",
    title: "Results",
    words: ["r", "followed", "winRate", "interval", "drawdown", "coin", "shown", "ledger"],
  },
  {
    id: "forecasts",
    title: "Forecasts",
    words: ["brier", "baseline", "frequencies", "skill", "ece", "calibration", "murphy"],
  },
  {
    id: "yours",
    title: "Your side",
    words: ["ea", "position", "ticket", "slippage", "key", "plan"],
  },
];

/** The marks that lead to the glossary wherever they stand in a heading or beside a figure. */
export const MARKS: Readonly<Record<string, GlossaryWord>> = {
  R: "r",
  ECE: "ece",
  Brier: "brier",
  baseline: "baseline",
  Baseline: "baseline",
  Skill: "skill",
  Regime: "regime",
  Regimes: "regime",
  Slippage: "slippage",
};
