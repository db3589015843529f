import { isDeepStrictEqual } from "node:util";
import type { Database, DatabaseHandle } from "@/db/client";
import { readClock } from "@/db/queries/clock";
import {
  isRankTaken,
  listPlanHolderGroups,
  lockPlan,
  type PlanHolderGroup,
  writePlan,
} from "@/db/queries/plans";
import { listSlots, type SlotName } from "@/db/queries/slots";
import { type Actor, recordAudit } from "@/lib/runtime/audit";
import { countWithNoun, formatCount } from "@/lib/runtime/count-with-noun";
import type { PlanFeature } from "@/lib/runtime/plan-features";
import {
  isStaleForm,
  previewRevision,
  type SettingChangePreview,
  type SettingChangeResult,
  type SettingFormHiddenFields,
} from "@/lib/runtime/setting-change-preview";
import { settingsCache } from "@/lib/runtime/settings-cache";
import { BUILT_IN_PLAN_TIERS, PLAN_NAME_PATTERN } from "@/lib/vocabulary";
import { AppError, invalidField } from "@/lib/wire/errors";
import { splitPaidTime } from "./keys/paid-time-of-keys";
import { effectiveScope, findPlan, type Plan, scopeIncludes, scopeOfPlan } from "./plans";

const MAX_NAMED = 8;

/**
 * Stores a new or changed plan after its preview was confirmed. It applies at once here and within a second in other
 * processes. Throws validation_failed for an invalid field or a rank that changes the order of the specification's
 * plans, not_found for an unknown plan, and conflict if the plan `owner` would lose symbols or timeframes.
 */
export async function changePlan(
  database: Database,
  plan: Plan,
  options: SettingFormHiddenFields & { isNew: boolean },
  actor: Actor,
): Promise<SettingChangeResult> {
  requireSound(plan, options.isNew);
  const changed = await database.transaction(async (tx): Promise<SettingChangeResult> => {
    const before = await lockPlan(tx, plan.name);
    if (options.isNew && before) throw invalidField("body", "name", "is the name of a plan already");
    if (!options.isNew && !before) throw new AppError("not_found");
    if (isStaleForm(options, before)) return { outcome: "overtaken" };
    if (await isRankTaken(tx, plan)) throw invalidField("body", "rank", "is the rank of another plan");
    if (isDeepStrictEqual(before, plan)) return { outcome: "unchanged" };
    const preview = await previewPlanChange(tx, before, plan);
    const mark = previewRevision({ before, after: plan, preview });
    if (options.mark !== mark) return { outcome: "previewed", preview, mark };
    // Before the plan is written: time until now is charged by the former plans.
    if (before) await splitPaidTime(tx, [{ before, after: plan }], await readClock(tx));
    await writePlan(tx, plan);
    await recordAudit(tx, {
      actor,
      action: before ? "plan.change" : "plan.create",
      target: `plan/${plan.name}`,
      details: { before, after: plan },
    });
    return { outcome: "stored" };
  });
  if (changed.outcome === "stored") await settingsCache().readAgain();
  return changed;
}

function requireSound(plan: Plan, isNew: boolean): void {
  if (isNew && (!PLAN_NAME_PATTERN.test(plan.name) || plan.name === "new"))
    throw invalidField("body", "name", "must be 2 to 24 small letters, digits, - or _, a letter first");
  if (plan.symbols?.length === 0)
    throw invalidField("body", "symbols", "must name a symbol, or be blank for all");
  if (plan.name === "owner" && (plan.symbols !== null || plan.timeframes !== null))
    throw new AppError("conflict", {
      detail: "The owner plan always includes everything.",
    });
  const tiers: readonly string[] = BUILT_IN_PLAN_TIERS;
  const order = tiers.indexOf(plan.name);
  if (order < 0) return;
  const ranks = new Map(settingsCache().now.plans.map(({ name, rank }) => [name, rank]));
  const lower = BUILT_IN_PLAN_TIERS.slice(0, order).find((name) => (ranks.get(name) ?? 0) >= plan.rank);
  const higher = BUILT_IN_PLAN_TIERS.slice(order + 1).find(
    (name) => (ranks.get(name) ?? plan.rank + 1) <= plan.rank,
  );
  if (lower ?? higher)
    throw invalidField(
      "body",
      "rank",
      `must keep the order of the built-in plans: ${BUILT_IN_PLAN_TIERS.join(" < ")}`,
    );
}

/** The effects of a plan's change on subscribers, from the keys in force and the existing slots. */
export async function previewPlanChange(
  handle: DatabaseHandle,
  before: Plan | null,
  after: Plan,
): Promise<SettingChangePreview> {
  const [holders, slots] = await Promise.all([listPlanHolderGroups(handle, after.name), listSlots(handle)]);
  if (before === null) {
    const n = slots.filter((slot) => scopeIncludes(scopeOfPlan(after), slot.symbol, slot.timeframe)).length;
    return {
      lines: [
        `A new plan without subscribers. It shows ${n} of ${slots.length} slots.`,
        ...unknownSymbols(after.symbols ?? [], slots),
      ],
      cutsOff: 0,
    };
  }
  return computePlanChangePreview(before, after, holders, slots);
}

/**
 * The effects of a plan's change on the given holders of the plan, for the given slots. Other plans are read from the
 * cache.
 */
export function computePlanChangePreview(
  before: Plan,
  after: Plan,
  holders: readonly PlanHolderGroup[],
  slots: readonly SlotName[],
): SettingChangePreview {
  const n = sumOf(holders, "n");
  const onSite = changesOnSite(before, after);
  const ofScope = changesOfScope(before, after, slots);
  const gained = gainedFeatures(before, after);
  if (n === 0) {
    const lines = [
      ...onSite,
      ...ofScope,
      ...gained,
      ...otherChanges(before, after),
      "No subscriber has this plan.",
    ];
    return { lines, cutsOff: 0 };
  }
  const moves = holders.map((held) => {
    const seen = (plan: Plan) => slotsSeen(plan, held, slots);
    const [was, is] = [seen(before), seen(after)];
    return {
      held,
      lost: was.filter((name) => !is.includes(name)),
      won: is.filter((name) => !was.includes(name)),
      isCutOff: was.length > 0 && is.length === 0,
    };
  });
  const cut = moves.filter(({ isCutOff }) => isCutOff).map(({ held }) => held);
  const losing = moves.filter(({ lost, isCutOff }) => lost.length > 0 && !isCutOff);
  const winning = moves.filter(({ won }) => won.length > 0);
  const byPlan = holders.filter(({ rateLimitPerMin }) => rateLimitPerMin === null);
  const without = (feature: PlanFeature) =>
    holders.filter((held) => !othersOf(held, before.name).some((plan) => plan[feature]));
  const lines = [
    ...gained,
    cut.length > 0 && `${people(cut)} would be cut off: they would see no slot at all.`,
    losing.length > 0 &&
      `${people(losing.map(({ held }) => held))} would lose ${named(losing.flatMap(({ lost }) => lost))}.`,
    winning.length > 0 &&
      `${people(winning.map(({ held }) => held))} would gain ${named(winning.flatMap(({ won }) => won))}.`,
    before.rateLimitPerMin !== after.rateLimitPerMin &&
      byPlan.length > 0 &&
      `${people(byPlan)} would go from ${before.rateLimitPerMin} to ${after.rateLimitPerMin} requests a minute.`,
    before.webhooks &&
      !after.webhooks &&
      `${sumOf(without("webhooks"), "nEndpoints")} endpoints would stop receiving events.`,
    before.telegram &&
      !after.telegram &&
      `${countWithNoun(sumOf(without("telegram"), "nChats"), "Telegram chat")} and ${countWithNoun(sumOf(without("telegram"), "nChannels"), "Discord channel")} would stop receiving signals.`,
    before.longPoll && !after.longPoll && "Long polls would get 403.",
    before.stream && !after.stream && "The stream would get 403.",
    before.tradingClient !== after.tradingClient && (after.tradingClient ? TO_METATRADER : TO_TELEGRAM),
    before.rank !== after.rank && RANK_CHANGES,
  ].filter((line) => line !== false);
  const held = `${people(holders)} ${n === 1 ? "has" : "have"} this plan.`;
  return {
    lines: [
      ...onSite,
      ...(lines.length > 0 ? lines : []),
      ...ofScope,
      lines.length > 0 ? held : `${held} Their access does not change.`,
    ],
    cutsOff: sumOf(cut, "n"),
  };
}

/** Sentences about what a plan's change would alter on the public site. */
function changesOnSite(before: Plan, after: Plan): string[] {
  return [
    before.title !== after.title && `Its title would be ${after.title}.`,
    before.forWhom !== after.forWhom &&
      (after.forWhom === ""
        ? "The site would not say whom it is for."
        : `The site would say: ${after.forWhom}`),
    before.isShown !== after.isShown &&
      (after.isShown ? "The site would offer it." : "The site would no longer offer it."),
    before.priceText !== after.priceText &&
      (after.priceText === null
        ? "The site would show no price."
        : `The site would show the price ${after.priceText}.`),
    before.shopUrl !== after.shopUrl &&
      (after.shopUrl === null
        ? "Its button would lead to the site's shop."
        : `Its button would lead to ${after.shopUrl}.`),
  ].filter((line) => line !== false);
}

const FEATURES: Readonly<Record<PlanFeature, string>> = {
  longPoll: "long polling",
  stream: "the stream",
  webhooks: "webhooks",
  telegram: "signals in Telegram and Discord",
};
const FEATURE_NAMES = ["longPoll", "stream", "webhooks", "telegram"] as const;

const gainedFeatures = (before: Plan, after: Plan): string[] =>
  FEATURE_NAMES.filter((name) => !before[name] && after[name]).map(
    (name) => `It would include ${FEATURES[name]}.`,
  );

/** Sentences about symbols and timeframes that are added, removed or unknown. */
function changesOfScope(before: Plan, after: Plan, slots: readonly SlotName[]): string[] {
  return [
    ...changesOfList("symbols", before.symbols, after.symbols),
    ...changesOfList("timeframes", before.timeframes, after.timeframes),
    ...unknownSymbols(
      (after.symbols ?? []).filter((symbol) => !before.symbols?.includes(symbol)),
      slots,
    ),
  ];
}

/** Sentences about a changed list of the plan; null: the plan includes all. */
function changesOfList(
  of: "symbols" | "timeframes",
  before: readonly string[] | null,
  after: readonly string[] | null,
): string[] {
  if (isDeepStrictEqual(before, after)) return [];
  if (after === null) return [`It would include all ${of}.`];
  if (before === null) return [`It would include only these ${of}: ${after.join(", ")}.`];
  const added = after.filter((name) => !before.includes(name));
  const removed = before.filter((name) => !after.includes(name));
  return [
    added.length > 0 && `Added ${of}: ${added.join(", ")}.`,
    removed.length > 0 && `Removed ${of}: ${removed.join(", ")}.`,
  ].filter((line) => line !== false);
}

/** Warnings about symbols without a slot, such as misspelt ones. */
function unknownSymbols(symbols: readonly string[], slots: readonly SlotName[]): string[] {
  const known = new Set(slots.map(({ symbol }) => symbol));
  return symbols
    .filter((symbol) => !known.has(symbol))
    .map((symbol) => `No slot has the symbol ${symbol} yet: check its spelling.`);
}

/** Sentences about changes of features, limit and rank, for a plan without subscribers. */
function otherChanges(before: Plan, after: Plan): string[] {
  return [
    ...FEATURE_NAMES.filter((name) => before[name] && !after[name]).map(
      (name) => `It would no longer include ${FEATURES[name]}.`,
    ),
    before.rateLimitPerMin !== after.rateLimitPerMin &&
      `It would allow ${after.rateLimitPerMin} requests a minute.`,
    before.tradingClient !== after.tradingClient && (after.tradingClient ? TO_METATRADER : TO_TELEGRAM),
    before.rank !== after.rank && RANK_CHANGES,
  ].filter((line) => line !== false);
}

const TO_METATRADER = "Its buyers would be asked to connect MetaTrader.";
const TO_TELEGRAM = "Its buyers would be asked to link a Telegram chat, not to connect MetaTrader.";
const RANK_CHANGES =
  "Its rank changes: with several plans in force, plan_tier names the one with the highest rank.";

function slotsSeen(plan: Plan, held: PlanHolderGroup, slots: readonly SlotName[]): string[] {
  const seenBy = [plan, ...othersOf(held, plan.name)].map((each) =>
    effectiveScope({ ...held, planTier: each.name }, each),
  );
  return slots
    .filter(({ symbol, timeframe }) => seenBy.some((scope) => scopeIncludes(scope, symbol, timeframe)))
    .map(({ symbol, timeframe }) => `${symbol} ${timeframe}`);
}

/** The plans other than `name` that the keys of these holders have in force. */
const othersOf = ({ plans: together }: PlanHolderGroup, name: string): Plan[] =>
  (together ?? []).filter((other) => other !== name).flatMap((other) => findPlan(other) ?? []);

const sumOf = (
  holders: readonly PlanHolderGroup[],
  figure: "n" | "nPaid" | "nEndpoints" | "nChats" | "nChannels",
) => holders.reduce((sum, held) => sum + held[figure], 0);

/** The number of holders in words, such as `12 subscribers (9 of them paid)`. */
function people(holders: readonly PlanHolderGroup[]): string {
  const [n, nPaid] = [sumOf(holders, "n"), sumOf(holders, "nPaid")];
  return `${countWithNoun(n, "subscriber")} (${formatCount(nPaid)} of them paid)`;
}

function named(slots: readonly string[]): string {
  const names = [...new Set(slots)];
  const rest = names.length - MAX_NAMED;
  return names.slice(0, MAX_NAMED).join(", ") + (rest > 0 ? ` and ${rest} more slots` : "");
}
