/** The terms of the product, each defined once: for the glossary page and for the tooltip of a term. */
export const GLOSSARY = {
  signal: {
    term: "Signal",
    text: "A model's answer when a candle closes: BUY, SELL or NO TRADE, with the probability of each. It never changes.",
  },
  slot: {
    term: "Slot",
    text: "One symbol on one timeframe, such as EURUSD H1. Each has its own model.",
  },
  noTrade: {
    term: "NO TRADE",
    text: "The answer that neither direction is worth its cost on this candle. It is delivered, shown and counted like BUY and SELL.",
  },
  confidence: {
    term: "Confidence",
    text: "The probability that the model gives the outcome that its signal names, from 0 to 100 %. It says nothing about the size of a profit.",
  },
  stale: {
    term: "Stale",
    text: "Too old to follow: the signal's candle closed more than one timeframe and 15 minutes ago (or the limit set for the slot). Time in which the market was closed does not count.",
  },
  regime: {
    term: "Regime",
    text: "The kind of market in which the candle closed: trend up, trend down, range, volatile, or unknown. It describes past candles and forecasts nothing.",
  },
  model: {
    term: "Model",
    text: "The program that makes the signals of a slot. Each version has a name. The version in use is the champion; another replaces it only after doing better on signals that neither had seen.",
  },
  walkForward: {
    term: "Walk-forward",
    text: "A test that repeatedly trains a model on the past and judges it on the candles that follow, so that it is never judged on data it has seen.",
  },
  r: {
    term: "R",
    text: "The distance from entry to stop: a trade that is stopped out loses 1 R before costs. The round-trip cost entered for the symbol is taken off every result.",
  },
  followed: {
    term: "Trades",
    text: "BUY and SELL signals whose next 12 candles have closed. NO TRADE is not among them, but counts among the forecasts.",
  },
  winRate: {
    term: "Win rate",
    text: "Winning trades as a share of winning and losing trades. It does not show whether money was made: that also depends on the size of wins and losses.",
  },
  interval: {
    term: "95 % interval",
    text: "The range in which the true value probably lies. A wide range means too few results to conclude anything. Results that overlap in time count once.",
  },
  drawdown: {
    term: "Drawdown",
    text: "How far the running sum of results fell below its highest value so far. By day: as of the end of each UTC day; within a day it can fall deeper.",
  },
  coin: {
    term: "Coin",
    text: "Random entries: a bot that trades at the same moments as the signals, but a coin chooses between BUY and SELL. The coin is a bit of a hash, so anyone can repeat the toss.",
  },
  frequencies: {
    term: "Class frequencies",
    text: "Simple averages: a bot that knows only how often BUY, SELL and NO TRADE have occurred on the slot so far, and forecasts that. Skill is measured against it.",
  },
  baseline: {
    term: "Baseline",
    text: "What a forecaster without knowledge would reach. For a Brier score it is the class frequencies; for a win rate the better of always BUY and always SELL. The model baseline-1, which forecasts a slot until a trained model does, is named after it: it knows only how often the outcomes occurred in each regime.",
  },
  brier: {
    term: "Brier",
    text: "Brier score: the squared error of the three probabilities, summed, from 0 to 2. Lower is better.",
  },
  skill: {
    term: "Skill",
    text: "How much smaller the forecasts' squared error (Brier score) is than that of the class frequencies. 0 % is no better, 100 % is perfect, below zero is worse. Signals with their own stop and target have no such frequencies, so there is no skill if all signals have them.",
  },
  ece: {
    term: "ECE",
    text: "Expected calibration error: the average difference between the probability of the likeliest outcome and how often it came true, over ten bins.",
  },
  calibration: {
    term: "Calibration",
    text: "Whether probabilities hold: when a model says 60 %, about 60 of 100 such cases should come true. Drifting means the difference is larger than chance explains.",
  },
  murphy: {
    term: "Reliability, resolution, uncertainty",
    text: "The squared error of the confidence in three parts (Murphy): the error from stated confidences that do not hold (smaller is better), the gain from telling cases apart (larger is better), and the uncertainty of the outcomes themselves.",
  },
  shown: {
    term: "Edge proved",
    text: "The results are too good to be luck. The test can be read any day, and it gets stricter with more slots. For all slots together it takes the mean of their evidence, which is valid however much the slots have in common.",
  },
  ledger: {
    term: "Ledger",
    text: "A list that can only grow. It contains a fingerprint of each signal, and shows which signals were committed in time and that none was changed later.",
  },
  simulated: {
    term: "Simulated",
    text: "Prices and signals that this installation generates so that you can try the service. They contain trends that a model can find and say nothing about real markets.",
  },
  ea: {
    term: "EA",
    text: "Expert Advisor: a program that runs on a chart in MetaTrader and trades there. Yours reads the signals and decides what to do with them.",
  },
  position: {
    term: "Position",
    text: "A trade that your EA opened at your broker and reported here. In the API such a report is called an execution.",
  },
  ticket: {
    term: "Ticket",
    text: "Your trading platform's number of a position. A second report with the same ticket changes the first and adds none.",
  },
  slippage: {
    term: "Slippage",
    text: "How much worse than the signal's price a position was opened.",
  },
  key: {
    term: "Key",
    text: "The secret that identifies your program. A new key is stored encrypted until its mail is sent and, if it was created on a page, until that page has shown it. After that we keep only its fingerprint and its first and last four characters.",
  },
  plan: {
    term: "Plan",
    text: "What a subscription includes: symbols, timeframes, requests per minute, and features such as the stream, webhooks, Telegram and Discord.",
  },
  candle: {
    term: "Candle",
    text: "The open, high, low and close price of one symbol during one interval, such as an hour for H1.",
  },
  timeframe: {
    term: "Timeframe",
    text: "The length of a candle: H1 is one hour, D1 one day.",
  },
  "word-scan": {
    term: "Scan",
    text: "The list with the latest signal of every slot in your plan: `GET /api/scan`.",
  },
  poll: {
    term: "Poll",
    text: "A request that a client repeats at intervals, such as a scan once a minute. It is answered at once.",
  },
  "long-polling": {
    term: "Long polling",
    text: "Repeated requests that the service answers when the list changes, or after the time in `wait`.",
  },
  "word-stream": {
    term: "Stream",
    text: "A connection on which the service sends each signal as a server-sent event: `GET /api/stream`.",
  },
  heartbeat: {
    term: "Heartbeat",
    text: "A request that a client sends with its key, such as a scan. The last one shows whether the client is running.",
  },
  terminal: {
    term: "Terminal",
    text: "One MetaTrader program with one account. Several terminals can use the same key.",
  },
  "word-pause": {
    term: "Pause",
    text: "The operator's pause hides signals from subscribers. Your own pause in the portal stops your EA from opening positions; signals are still delivered.",
  },
  breaker: {
    term: "Breaker",
    text: "A limit in the EA, such as a daily loss, that stops new positions but never a close.",
  },
  horizon: {
    term: "Horizon",
    text: "The candles after a signal that decide its outcome: 12, or fewer for a signal with its own horizon.",
  },
  barrier: {
    term: "Barrier",
    text: "One of two prices around the signal's close, 2 ATR(14) above and below it. The barrier that the price reaches first decides the outcome.",
  },
  outcome: {
    term: "Outcome",
    text: "What happened to a signal within its horizon: its class and its result in R. It is computed from candles and never changes.",
  },
  execution: {
    term: "Execution",
    text: "The API's word for a reported position.",
  },
  "committed-in-time": {
    term: "Committed in time",
    text: "The ledger has the signal less than one timeframe after its candle closed. Only these signals count in the public record.",
  },
  "entered-later": {
    term: "Entered later",
    text: "The ledger has the signal, but not in time. Such signals are listed separately and not counted in the record.",
  },
  coverage: {
    term: "Coverage",
    text: "The share of closed candles that have a signal committed in time. It also counts the candles that are missing in trading hours.",
  },
  "word-record": {
    term: "Record",
    text: "The public results of all signals that were committed in time. My record in the portal shows the results of one subscriber.",
  },
  verifier: {
    term: "Verifier",
    text: "The program `verify.mjs`, which downloads the ledger and recomputes every public figure.",
  },
} as const satisfies Record<string, { term: string; text: string }>;
export type GlossaryTerm = keyof typeof GLOSSARY;

/** The terms on the glossary page, in its order. */
export const GLOSSARY_GROUPS: readonly { id: string; title: string; terms: readonly GlossaryTerm[] }[] = [
  {
    id: "signals",
    title: "Signals",
    terms: [
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
    terms: ["r", "followed", "winRate", "interval", "drawdown", "coin", "shown", "ledger"],
  },
  {
    id: "forecasts",
    title: "Forecasts",
    terms: ["brier", "baseline", "frequencies", "skill", "ece", "calibration", "murphy"],
  },
  {
    id: "yours",
    title: "Your side",
    terms: ["ea", "position", "ticket", "slippage", "key", "plan"],
  },
  {
    id: "delivery",
    title: "Delivery",
    terms: [
      "candle",
      "timeframe",
      "word-scan",
      "poll",
      "long-polling",
      "word-stream",
      "heartbeat",
      "terminal",
      "word-pause",
      "breaker",
    ],
  },
  {
    id: "record",
    title: "Outcomes and record",
    terms: [
      "horizon",
      "barrier",
      "outcome",
      "execution",
      "committed-in-time",
      "entered-later",
      "coverage",
      "word-record",
      "verifier",
    ],
  },
];

/** Words in headings and labels that become links to the glossary. */
export const LINKED_TERMS: Readonly<Record<string, GlossaryTerm>> = {
  R: "r",
  ECE: "ece",
  Brier: "brier",
  baseline: "baseline",
  Baseline: "baseline",
  Skill: "skill",
  Regime: "regime",
  Regimes: "regime",
  Slippage: "slippage",
  Coverage: "coverage",
  "Committed in time": "committed-in-time",
  "Entered later": "entered-later",
};
