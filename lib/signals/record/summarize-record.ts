import { formatCount } from "@/lib/runtime/count-with-noun";
import { MIN_RESULTS_FOR_RATES, type PublicRecord } from "@/lib/wire/contracts/record";
import { hasEnoughTrades } from "./figures";

/** The summary of a record, in sentences that its figures support. */
export interface RecordSummary {
  results: string;
  /** null while there are too few results. */
  probabilities: string | null;
}

/** How the results stand while no edge is proved: better than random entries, positive but not better, or negative. */
type Standing = "ahead" | "positive" | "behind";

/**
 * The summary of a record. `isWhole`: no period or model narrows it, so the evidence and the sum of results
 * cover the same signals; otherwise the sum is left out. An edge is claimed only where the sequential test
 * claims one, and never on a simulated market, where the test can only be passed.
 */
export function summarizeRecord(record: PublicRecord, { isWhole }: { isWhole: boolean }): RecordSummary {
  const { headline, overall, total, items } = record;
  const { n_slots: nSlots, n_direction: nDirection, n_probability: nProbability } = headline;
  const isOne = items.length === 1;
  const market: Market = record.notice === null ? "real" : "simulated";
  const { n } = total.model;
  // Waiting brings no results where every forecast said NO_TRADE.
  const gaveNoDirection = total.forecasts.enough && total.forecasts.n_directional === 0;
  if (nSlots === 0 || (isWhole && !total.model.enough && !gaveNoDirection))
    return {
      results: begin(market, `too early to judge: ${n} of the ${MIN_RESULTS_FOR_RATES} results needed.`),
      probabilities: null,
    };
  return {
    results: gaveNoDirection
      ? begin(
          market,
          `no trades: all ${formatCount(total.forecasts.n)} resolved signals said NO TRADE. No edge is proved.`,
        )
      : isOne
        ? ofOneSlot(market, slotName(items), isWhole ? standingOf(record) : null, nDirection > 0)
        : ofSlots(market, isWhole ? standingOf(record) : null, {
            together: nDirection > 0 || overall?.direction.shown === true,
            isJudgedTogether: overall !== null,
            alone: nDirection,
            nSlots,
            // A narrowed record does not contain how many trades its slots have over the whole record.
            nTraded: isWhole
              ? items.filter((item) => hasEnoughTrades({ n: item.forecasts.n, nFollowed: item.model.n }))
                  .length
              : null,
          }),
    probabilities: ofProbabilities(market, {
      isShown: nProbability > 0 || overall?.probability.shown === true,
      alone: nProbability,
      nSlots,
      isOne,
    }),
  };
}

type Market = "real" | "simulated";

/** A sentence from its words; on a simulated market it says so. */
const begin = (market: Market, words: string): string =>
  market === "simulated"
    ? `In this simulation, ${words}`
    : `${words.charAt(0).toUpperCase()}${words.slice(1)}`;

/** Verbs for evidence that supports a claim of an edge: a simulation proves nothing. */
const SHOWN = {
  real: {
    one: "has proved an edge",
    many: "have proved an edge",
    aloneOne: "has proved it alone",
    aloneMany: "have proved it alone",
    noneAlone: "No single slot has proved it alone yet.",
  },
  simulated: {
    one: "passes the test for an edge",
    many: "pass the test for an edge",
    aloneOne: "passes it alone",
    aloneMany: "pass it alone",
    noneAlone: "No single slot passes it alone yet.",
  },
} as const;

function standingOf({ total: { model, coin } }: PublicRecord): Standing {
  if (model.total_r <= 0) return "behind";
  return model.total_r <= coin.total_r ? "positive" : "ahead";
}

const STANDINGS: Record<Standing, string> = {
  ahead: "ahead so far, but luck can still explain it",
  positive: "in profit so far, but random entries did better",
  behind: "at a loss so far",
};

/** The name of the only slot: pages without a filter show this sentence too, when no other slot has results yet. */
function slotName([item]: PublicRecord["items"]): string {
  return item === undefined ? "this slot" : `${item.symbol} ${item.tf_code}`;
}

function ofOneSlot(market: Market, slot: string, standing: Standing | null, isShown: boolean): string {
  if (isShown) return begin(market, `${slot} ${SHOWN[market].one}.`);
  return standing === null
    ? begin(market, `over its whole record, ${slot} has not proved an edge yet.`)
    : begin(market, `${slot} is ${STANDINGS[standing]}. No edge is proved yet.`);
}

function ofSlots(
  market: Market,
  standing: Standing | null,
  of: { together: boolean; isJudgedTogether: boolean; alone: number; nSlots: number; nTraded: number | null },
): string {
  const { together, isJudgedTogether, alone, nSlots, nTraded } = of;
  const words = SHOWN[market];
  const slots =
    nTraded === null
      ? `${alone} ${alone === 1 ? "slot" : "slots"}`
      : nTraded === 1
        ? "the one slot with enough trades"
        : `${alone} of the ${nTraded} slots with enough trades`;
  if (together && isJudgedTogether)
    return begin(
      market,
      alone > 0
        ? `all slots together ${words.many}; ${slots} ${alone === 1 ? words.aloneOne : words.aloneMany}.`
        : `all slots together ${words.many}. ${words.noneAlone}`,
    );
  if (alone > 0) return begin(market, `${slots} ${alone === 1 ? words.one : words.many}.`);
  if (standing === null) return begin(market, "over the whole record, no slot has proved an edge yet.");
  if (!isJudgedTogether)
    return begin(
      market,
      `these ${nSlots} slots are ${STANDINGS[standing]}. None of them has proved an edge on its own yet.`,
    );
  return begin(
    market,
    `all slots together are ${STANDINGS[standing]}. No edge is proved yet, neither together nor on any single slot.`,
  );
}

function ofProbabilities(
  market: Market,
  of: { isShown: boolean; alone: number; nSlots: number; isOne: boolean },
): string {
  const { isShown, alone, nSlots, isOne } = of;
  if (!isShown) return "It is not proved that the probabilities beat simple averages.";
  const better = "the probabilities are better than simple averages";
  if (isOne) return begin(market, `${better}.`);
  return begin(
    market,
    alone > 0
      ? `${better} on ${alone} of the ${nSlots} slots with enough results.`
      : `${better} over all slots together.`,
  );
}
