import { formatCount } from "@/lib/runtime/pluralize";
import { MIN_RESULTS_FOR_RATES, type PublicRecord } from "@/lib/wire/contracts/record";

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
 * claims one.
 */
export function summarizeRecord(record: PublicRecord, { isWhole }: { isWhole: boolean }): RecordSummary {
  const { headline, overall, total, items } = record;
  const { n_slots: nSlots, n_direction: nDirection, n_probability: nProbability } = headline;
  const isOne = items.length === 1;
  const { n } = total.model;
  // Waiting brings no results where every forecast said NO_TRADE.
  const gaveNoDirection = total.forecasts.enough && total.forecasts.n_directional === 0;
  if (nSlots === 0 || (isWhole && !total.model.enough && !gaveNoDirection))
    return {
      results: `Too early to judge: ${n} of the ${MIN_RESULTS_FOR_RATES} results needed.`,
      probabilities: null,
    };
  return {
    results: gaveNoDirection
      ? `No trades: all ${formatCount(total.forecasts.n)} resolved signals said NO TRADE. No edge is proved.`
      : isOne
        ? ofOneSlot(slotName(items), isWhole ? standingOf(record) : null, nDirection > 0)
        : ofSlots(isWhole ? standingOf(record) : null, {
            together: nDirection > 0 || overall?.direction.shown === true,
            isJudgedTogether: overall !== null,
            alone: nDirection,
            nSlots,
          }),
    probabilities: ofProbabilities({
      isShown: nProbability > 0 || overall?.probability.shown === true,
      alone: nProbability,
      nSlots,
      isOne,
    }),
  };
}

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
  return item === undefined ? "This slot" : `${item.symbol} ${item.tf_code}`;
}

function ofOneSlot(slot: string, standing: Standing | null, isShown: boolean): string {
  if (isShown) return `${slot} has proved an edge after costs.`;
  return standing === null
    ? `Over its whole record, ${slot} has not proved an edge yet.`
    : `${slot} is ${STANDINGS[standing]}. No edge is proved yet.`;
}

function ofSlots(
  standing: Standing | null,
  of: { together: boolean; isJudgedTogether: boolean; alone: number; nSlots: number },
): string {
  const { together, isJudgedTogether, alone, nSlots } = of;
  const slots = `${alone} of ${nSlots} slots ${alone === 1 ? "has" : "have"}`;
  if (together && isJudgedTogether)
    return alone > 0
      ? `All slots together have proved an edge after costs; ${slots} proved it alone.`
      : "All slots together have proved an edge after costs. No single slot has proved it alone yet.";
  if (alone > 0) return `${slots} proved an edge after costs.`;
  if (standing === null) return `Over the whole record, none of the ${nSlots} slots has proved an edge yet.`;
  if (!isJudgedTogether)
    return `These ${nSlots} slots are ${STANDINGS[standing]}. None of them has proved an edge on its own yet.`;
  return `All slots together are ${STANDINGS[standing]}. No edge is proved yet, neither together nor on any single slot.`;
}

function ofProbabilities(of: { isShown: boolean; alone: number; nSlots: number; isOne: boolean }): string {
  const { isShown, alone, nSlots, isOne } = of;
  if (!isShown) return "It is not proved that the probabilities beat simple averages.";
  if (isOne) return "The probabilities are better than simple averages.";
  return alone > 0
    ? `The probabilities are better than simple averages on ${alone} of ${nSlots} slots.`
    : "The probabilities are better than simple averages over all slots together.";
}
