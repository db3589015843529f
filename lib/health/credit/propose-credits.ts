import type { Database } from "@/db/client";
import {
  insertCredits,
  listIncidentsDuring,
  listPayingSubscribers,
  listSignalsBeforeGaps,
  listSlotsWithSignals,
  listUnprobedIntervals,
} from "@/db/queries/credits";
import { readSetting, writeSetting } from "@/db/queries/settings";
import { effectiveScope, type Scope, scopeIncludes } from "@/lib/access/plans";
import { recordAudit } from "@/lib/runtime/audit";
import { type SettingValues, settingInForce } from "@/lib/settings/registry";
import { addDays, HOUR_MS } from "@/lib/time";
import { writeInstant } from "@/lib/wire/json";
import { clipIntervals, lostIntervals, staleInterval, type TimeInterval, totalMinutes } from "./lost-time";

/** Signals are read from this many days before the month, so that its first ones have a predecessor. */
const LOOK_BACK_DAYS = 8;

/** Time after a month's end before it is processed, so that late rows of its last hour have arrived. */
const SETTLE_MS = HOUR_MS;

/**
 * Processes the newest completed UTC month, once: computes how long each paying subscriber had no fresh signals of the
 * plan in market hours, and proposes that time as a credit if it exceeds the tolerance. Safe to repeat; several workers
 * propose each credit once. Returns the number of new credits, or null if the month was already processed.
 */
export async function proposeDowntimeCredits(database: Database, now: Date): Promise<number | null> {
  const month = monthBefore(new Date(now.getTime() - SETTLE_MS));
  const name = month.from.toISOString().slice(0, 10);
  if ((await readSetting<string>(database, "downtime_credit_month")) === name) return null;
  const setting = await settingInForce(database, "downtime_credit");
  const credits = setting.enabled ? await findCredits(database, month, now, setting) : [];
  return database.transaction(async (tx) => {
    const dueAt = new Date(now.getTime() + setting.previewHours * HOUR_MS);
    const proposed = await insertCredits(
      tx,
      credits.map((credit) => ({ ...credit, month: name, dueAt })),
    );
    await writeSetting(tx, "downtime_credit_month", name);
    if (proposed > 0)
      await recordAudit(tx, {
        actor: { kind: "worker" },
        action: "credit.propose",
        target: `month/${name.slice(0, 7)}`,
        details: { credits: proposed, dueAt: dueAt.toISOString() },
      });
    return proposed;
  });
}

/** The UTC month before `at`. */
function monthBefore(at: Date): { from: Date; to: Date } {
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()];
  return { from: new Date(Date.UTC(year, month - 1, 1)), to: new Date(Date.UTC(year, month, 1)) };
}

async function findCredits(
  database: Database,
  month: { from: Date; to: Date },
  now: Date,
  setting: SettingValues["downtime_credit"],
) {
  const seen = { from: addDays(month.from, -LOOK_BACK_DAYS), to: now };
  const window: TimeInterval = { fromMs: month.from.getTime(), toMs: month.to.getTime() };
  const [slots, late, away, incidents, subscribers] = await Promise.all([
    listSlotsWithSignals(database, { from: seen.from, to: month.to }),
    listSignalsBeforeGaps(database, seen),
    listUnprobedIntervals(database, { from: addDays(month.from, -1), to: now }),
    listIncidentsDuring(database, month),
    listPayingSubscribers(database),
  ]);
  const followed = slots.map((slot) => ({
    ...slot,
    stale: late
      .filter(({ slotId }) => slotId === slot.slotId)
      .flatMap((signal) => staleInterval(slot, signal, now.getTime()) ?? []),
  }));
  const lostBy = new Map<string, TimeInterval[]>();
  const lostOf = (scope: Scope) => {
    const known = lostBy.get(scope.id);
    if (known) return known;
    const inScope = followed.filter(({ symbol, timeframe }) => scopeIncludes(scope, symbol, timeframe));
    const found = lostIntervals(window, inScope, away, setting.share);
    lostBy.set(scope.id, found);
    return found;
  };
  return subscribers.flatMap((subscriber) => {
    const { subscriptionId, paidSinceMs, expiresMs } = subscriber;
    const scope = effectiveScope({ ...subscriber, rateLimitPerMin: null });
    const lost = clipIntervals(lostOf(scope), { fromMs: paidSinceMs, toMs: expiresMs });
    const minutes = totalMinutes(lost);
    if (minutes === 0 || minutes <= setting.thresholdMinutes) return [];
    return [{ subscriptionId, minutes, stretches: lost.map((stretch) => describe(stretch, incidents)) }];
  });
}

type Incident = Awaited<ReturnType<typeof listIncidentsDuring>>[number];

/** An interval for display, with up to three different reasons of incidents that overlap it. */
function describe({ fromMs, toMs }: TimeInterval, incidents: readonly Incident[]) {
  const reasons = incidents
    .filter(({ openedAt, closedAt }) => openedAt.getTime() < toMs && (closedAt?.getTime() ?? toMs) > fromMs)
    .flatMap((incident) => incident.reasons.map(plain));
  return {
    from: writeInstant(new Date(fromMs)),
    to: writeInstant(new Date(toMs)),
    what: [...new Set(reasons)].slice(0, 3).join("; ") || "no fresh signals",
  };
}

/** The text of a reason, which is stored as `code: text`. */
const plain = (reason: string) => reason.replace(/^[a-z0-9_]+: /, "");
