/** The words of the product, each explained once: on the glossary's page and wherever their mark stands. */
export const GLOSSARY = {
  signal: {
    mark: "Signal",
    text: "What a model says when a candle closes: BUY, SELL or NO TRADE, with the probability of each. Once given it never changes.",
  },
  slot: {
    mark: "Slot",
    text: "One symbol on one timeframe, such as EURUSD H1. Each has its own model.",
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
    text: "Too old to follow: the signal's candle closed more than one timeframe and 15 minutes ago (or the limit set for the slot). Time in which the market was closed does not count.",
  },
  regime: {
    mark: "Regime",
    text: "The kind of market in which the candle closed: trend up, trend down, range, volatile, or unknown. It describes past candles and forecasts nothing.",
  },
  model: {
    mark: "Model",
    text: "The program that makes the signals of a slot. Each version has a name. The version in use is the champion; another replaces it only after doing better on signals that neither had seen.",
  },
  walkForward: {
    mark: "Walk-forward",
    text: "A test that repeatedly trains a model on the past and judges it on the candles that follow, so that it is never judged on data it has seen.",
  },
  r: {
    mark: "R",
    text: "The distance from entry to stop: a trade that is stopped out loses 1 R before costs. A typical round-trip cost is taken off every result.",
  },
  followed: {
    mark: "Trades",
    text: "BUY and SELL signals whose next 12 candles have closed. NO TRADE is not among them, but counts among the forecasts.",
  },
  winRate: {
    mark: "Win rate",
    text: "Winning trades as a share of winning and losing trades. It does not show whether money was made: that also depends on the size of wins and losses.",
  },
  interval: {
    mark: "95 % interval",
    text: "The range in which the true value probably lies. A wide range means too few results to conclude anything. Results that overlap in time count once.",
  },
  drawdown: {
    mark: "Drawdown",
    text: "How far the running sum of results fell below its highest value so far, by UTC day.",
  },
  coin: {
    mark: "Coin",
    text: "Random entries: a bot that trades at the same moments as the signals, but a coin chooses between BUY and SELL. The coin is a bit of a hash, so anyone can toss it again.",
  },
  frequencies: {
    mark: "Class frequencies",
    text: "Simple averages: a bot that knows only how often BUY, SELL and NO TRADE occurred in the training data and always forecasts that. Skill is measured against it.",
  },
  baseline: {
    mark: "Baseline",
    text: "What a forecaster without knowledge would reach. For a Brier score it is the class frequencies; for a win rate the better of always BUY and always SELL.",
  },
  brier: {
    mark: "Brier",
    text: "Brier score: the squared error of the three probabilities, summed, from 0 to 2. Lower is better.",
  },
  skill: {
    mark: "Skill",
    text: "How much smaller the forecasts' squared error (Brier score) is than that of the class frequencies. 0 % is no better, 100 % is perfect, below zero is worse.",
  },
  ece: {
    mark: "ECE",
    text: "Expected calibration error: the average difference between the stated confidence and how often it was right, over ten bins.",
  },
  calibration: {
    mark: "Calibration",
    text: "Whether probabilities hold: when a model says 60 %, about 60 of 100 such cases should come true. Drifting means the difference is larger than chance explains.",
  },
  murphy: {
    mark: "Reliability, resolution, uncertainty",
    text: "The squared error of the confidence in three parts (Murphy): the error from stated confidences that do not hold (smaller is better), the gain from telling cases apart (larger is better), and the uncertainty of the outcomes themselves.",
  },
  shown: {
    mark: "Edge proved",
    text: "The results are too good to be luck. The test can be read any day, and it gets stricter with more slots. For all slots together it takes the mean of their evidence, which is valid however much the slots have in common.",
  },
  ledger: {
    mark: "Ledger",
    text: "A list that can only grow and holds a fingerprint of each signal from the moment it is made. It shows which signals were committed in time and that none was changed later.",
  },
  simulated: {
    mark: "Simulated",
    text: "Prices and signals that this installation generates so that you can try the service. They contain trends that a model can find and say nothing about real markets.",
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
    text: "The secret that identifies your program. It is shown once. We store only a fingerprint and cannot show it again.",
  },
  plan: {
    mark: "Plan",
    text: "What a subscription includes: symbols, timeframes and requests per minute.",
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
