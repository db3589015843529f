import { isDeepStrictEqual } from "node:util";
import type { DatabaseHandle, Transaction } from "@/db/client";
import {
  endPaidTime,
  insertPaidTime,
  isCarriedTimeStillPaid,
  listPaidTime,
  listPaidTimeHistory,
  listStoredKeyAccess,
  lockKeysOfSeveralPlans,
  type NewKeyAccess,
  type NewPaidTime,
  type PaidTimeRow,
  type StoredKeyAccess,
  takeOverPaidTime,
  writeKeyAccess,
} from "@/db/queries/paid-time";
import type { PlanInterval } from "@/db/schema";
import {
  type ConcurrentPlansPeriod,
  concurrentPlansPeriods,
  type PaidTime,
  type PlanExtent,
  plansPeriodAtOrAfter,
  remainingMsPerRow,
} from "@/lib/access/paid-time";
import { plans } from "@/lib/access/plans";
import { groupBy } from "@/lib/runtime/group-by";
import { yieldingMap } from "@/lib/runtime/yielding-map";
import { laterInstant, SECOND_MS } from "@/lib/time";
import type { PaidTimeKind, PlanTier } from "@/lib/vocabulary";

/** Access of a key at an instant: its highest plan in force, and the end of its last plan. */
export interface KeyAccess {
  planTier: PlanTier;
  expiresAt: Date | null;
  /** End of the paid or given time, if days of grace follow it; null: none follow, or access has no end. */
  paidUntil: Date | null;
  stretches: PlanInterval[] | null;
}

/** Time to add to a key. */
export type PaidTimeToAdd = Omit<NewPaidTime, "subscriptionId" | "keyId">;

/** A change to the paid-time rows of one key. */
interface Change {
  add: readonly PaidTimeToAdd[];
  /** Rows to end, because others replace them. */
  end: readonly { id: number; at: Date }[];
}

/** Kinds of time that were paid for. */
export const PAID_KINDS: ReadonlySet<PaidTimeKind> = new Set<PaidTimeKind>(["payment", "trial", "change"]);

/**
 * Whether every row is paid time that has not ended, apart from grace after failed payments. Otherwise a further
 * payment adds no grace period, unless it ends a try-out or begins a new period at once: an end that was set by hand
 * is final.
 */
export const isPaidOnly = (rows: readonly PaidTimeRow[]): boolean =>
  rows.every(({ kind, endedAt }) => kind === "grace" || (endedAt === null && PAID_KINDS.has(kind)));

const NOTHING: Change = { add: [], end: [] };

/** A key with its paid-time rows before a change. Rows that are to be stored with the change have an id below 1. */
export interface KeyPaidTime {
  key: StoredKeyAccess;
  rows: readonly PaidTimeRow[];
  /** Access that the rows give; null if no row counts. */
  access: KeyAccess | null;
}

/** Access that paid-time rows give at `now`; null if no row counts. */
export function accessOfPaidTime(rows: readonly PaidTime[], now: Date): KeyAccess | null {
  const stretches = concurrentPlansPeriods(rows, plans());
  const last = stretches.at(-1);
  if (!last) return null;
  const ahead = stretches.filter(({ until }) => until === null || until > now);
  const merged = mergePlans(ahead);
  return {
    planTier: (plansPeriodAtOrAfter(stretches, now) ?? last).plans[0] ?? "",
    expiresAt: last.until,
    paidUntil: last.isGrace ? last.from : null,
    stretches: merged.length > 1 || (merged[0]?.plans.length ?? 0) > 1 ? merged : null,
  };
}

/** The end of a key's paid or given time, if days of grace follow it; null: none follow, or access has no end. */
export async function findPaidUntil(handle: DatabaseHandle, keyId: number, now: Date): Promise<Date | null> {
  return (await listPaidUntil(handle, [keyId], now)).get(keyId) ?? null;
}

/** The end of the paid or given time of each of these keys with days of grace after it. */
export async function listPaidUntil(
  handle: DatabaseHandle,
  keyIds: readonly number[],
  now: Date,
): Promise<Map<number, Date>> {
  if (keyIds.length === 0) return new Map();
  const rows = groupBy(await listPaidTime(handle, keyIds), ({ keyId }) => keyId);
  const ends = [...rows].flatMap(([keyId, own]): [number, Date][] => {
    const paidUntil = accessOfPaidTime(own, now)?.paidUntil ?? null;
    return paidUntil === null ? [] : [[keyId, paidUntil]];
  });
  return new Map(ends);
}

/**
 * Changes the paid time of keys that the caller has locked, and updates the keys' plan and end, with five statements
 * for any number of keys. First adds rows for an end or a plan that was written to the key without paid-time rows.
 * Returns the access of each key that has rows which count.
 */
export async function changePaidTime(
  tx: Transaction,
  keyIds: readonly number[],
  now: Date,
  change: (ledger: KeyPaidTime) => Change,
): Promise<Map<number, KeyAccess>> {
  const [keys, all] = await Promise.all([listStoredKeyAccess(tx, keyIds), listPaidTime(tx, keyIds)]);
  const rowsOf = new Map<number, PaidTimeRow[]>(keys.map(({ keyId }) => [keyId, []]));
  for (const row of all) rowsOf.get(row.keyId)?.push(row);
  const ended: { id: number; at: Date }[] = [];
  const added: NewPaidTime[] = [];
  const written: NewKeyAccess[] = [];
  const accesses = new Map<number, KeyAccess>();
  await yieldingMap(keys, (key) => {
    const { keyId, subscriptionId } = key;
    const found = rowsOf.get(keyId) ?? [];
    const carried = carry(key, found, accessOfPaidTime(found, now), now);
    const rows = applied(found, carried, keyId);
    const wanted = change({ key, rows, access: accessOfPaidTime(rows, now) });
    const access = notEarlier(accessOfPaidTime(applied(rows, wanted, keyId), now), key, now);
    ended.push(...carried.end, ...wanted.end);
    const isNew = ({ id }: PaidTimeRow) => id <= 0;
    added.push(
      ...applied(rows, { add: [], end: wanted.end }, keyId).filter(isNew).map(withoutId(subscriptionId)),
      ...wanted.add.map((row) => ({ ...row, keyId, subscriptionId })),
    );
    if (access === null) return;
    written.push({ keyId, ...access });
    accesses.set(keyId, access);
  });
  await insertPaidTime(tx, added);
  // A row that this change both adds and ends (id below 1) was inserted as ended above.
  await endPaidTime(
    tx,
    ended.filter(({ id }) => id > 0),
  );
  await writeKeyAccess(tx, written);
  return accesses;
}

/**
 * Moves a subscriber's paid time that was not ended, without gifts, extensions and credits, to a new key and updates
 * the key's plan and end. Returns null, and leaves the key unchanged, if no time remains.
 */
export async function transferPaidTime(
  tx: Transaction,
  { keyId, subscriptionId }: { keyId: number; subscriptionId: number },
  now: Date,
): Promise<KeyAccess | null> {
  const access = await findRemainingPaidAccess(tx, subscriptionId, now);
  if (access === null) return null;
  await takeOverPaidTime(tx, subscriptionId, keyId);
  await writeKeyAccess(tx, [{ keyId, ...access }]);
  return access;
}

/**
 * The access that a subscriber's remaining paid time gives, over all keys. Gifts, extensions and credits do not count,
 * and `carried` time only while no invoice behind it has ended. null if nothing remains.
 */
export async function findRemainingPaidAccess(
  handle: DatabaseHandle,
  subscriptionId: number,
  now: Date,
): Promise<KeyAccess | null> {
  const [rows, isCarriedWhole] = await Promise.all([
    listPaidTimeHistory(handle, subscriptionId),
    isCarriedTimeStillPaid(handle, subscriptionId),
  ]);
  const access = accessOfPaidTime(
    rows.filter(
      ({ kind, endedAt }) =>
        endedAt === null &&
        (PAID_KINDS.has(kind) || kind === "grace" || (kind === "carried" && isCarriedWhole)),
    ),
    now,
  );
  return access === null || (access.expiresAt !== null && access.expiresAt <= now) ? null : access;
}

/** A plan before and after a change; before null: a new plan. */
export interface ChangedPlan {
  before: PlanExtent | null;
  after: PlanExtent;
}

/**
 * On keys with several plans, replaces the rest of each row of paid time by a row that begins at `now`, if a plan's
 * scope or rank changes. Call it before the plans are written, so that the new scopes apply to future time only.
 */
export async function splitPaidTime(
  tx: Transaction,
  changed: readonly ChangedPlan[],
  now: Date,
): Promise<void> {
  if (!changed.some(changesOrder)) return;
  const keyIds = await lockKeysOfSeveralPlans(tx);
  if (keyIds.length === 0) return;
  await changePaidTime(tx, keyIds, now, ({ rows }) => {
    const left = remainingMsPerRow(rows, plans(), now);
    const open = rows.flatMap((row, i) => {
      const ms = left[i] ?? 0;
      return ms > 0 && row.startsAt < now ? [{ row, ms }] : [];
    });
    return {
      end: open.map(({ row }) => ({ id: row.id, at: now })),
      add: open.map(({ row: { id, kind, planTier, externalSubscriptionId, graceMs }, ms }) => ({
        ...paidTimeToAdd(
          PAID_KINDS.has(kind) ? "change" : kind,
          planTier,
          now,
          Number.isFinite(ms) ? ms : null,
        ),
        externalSubscriptionId,
        graceMs,
        fromId: idIfStored(id),
      })),
    };
  });
}

/** Whether the change can alter which plans run and which wait. No key has time of a new plan yet. */
const changesOrder = ({ before, after }: ChangedPlan): boolean =>
  before !== null &&
  (before.rank !== after.rank ||
    !isDeepStrictEqual([before.symbols, before.timeframes], [after.symbols, after.timeframes]));

/** A row's id for `fromId`; null for a row that is not stored yet, whose id is below 1. */
export const idIfStored = (id: number): number | null => (id > 0 ? id : null);

/**
 * The change that gives a key exactly this plan and end. A later end of the same plan adds a row and ends open rows of
 * grace. An end that has passed only ends rows. Otherwise new rows replace the former. Writes nothing.
 */
export function paidTimeReplacement(
  { rows, access, key }: KeyPaidTime,
  wanted: { planTier: PlanTier; expiresAt: Date | null },
  kind: PaidTimeKind,
  now: Date,
): Change {
  const { planTier, expiresAt } = wanted;
  const held = access ?? { planTier: key.planTier, expiresAt: key.expiresAt, stretches: null };
  if (expiresAt !== null && expiresAt <= now) {
    const isEarlier = held.expiresAt === null || held.expiresAt > expiresAt;
    return { end: isEarlier ? rows.map(({ id }) => ({ id, at: expiresAt })) : [], add: [] };
  }
  const isLonger =
    held.expiresAt !== null &&
    (expiresAt === null || expiresAt > held.expiresAt) &&
    planTier === held.planTier;
  if (isLonger) {
    // The added days follow the days already paid for. They replace a grace period after a failed payment.
    const isGrace = (row: PaidTimeRow) => row.kind === "grace" && row.endedAt === null;
    const days = accessOfPaidTime(
      rows.filter((row) => !isGrace(row)),
      now,
    );
    const from = Math.max(now.getTime(), (days ?? held).expiresAt?.getTime() ?? 0);
    return {
      end: rows.filter(isGrace).map(({ id }) => ({ id, at: now })),
      add: [paidTimeToAdd(kind, planTier, now, expiresAt && expiresAt.getTime() - from)],
    };
  }
  const end = rows.filter((row) => row.endedAt === null).map(({ id }) => ({ id, at: now }));
  if (planTier !== held.planTier) return { end, add: [paidTimeToAddUntil(kind, planTier, now, expiresAt)] };
  // Same plan, earlier end: until then every plan stays in force.
  const add = concurrentPlansPeriods(rows, plans()).flatMap(({ plans: names, from, until }) => {
    const begin = from < now ? now : from;
    const over = earlier(until, expiresAt);
    if (over !== null && over <= begin) return [];
    return names.map((name) => paidTimeToAddUntil(kind, name, begin, over));
  });
  return { end, add };
}

export function paidTimeToAdd(
  kind: PaidTimeKind,
  planTier: PlanTier,
  startsAt: Date,
  durationMs: number | null,
): PaidTimeToAdd {
  return { kind, planTier, startsAt, durationMs };
}

/** Time of a plan from an instant to an end; null: without an end. */
export const paidTimeToAddUntil = (
  kind: PaidTimeKind,
  planTier: PlanTier,
  startsAt: Date,
  until: Date | null,
): PaidTimeToAdd => paidTimeToAdd(kind, planTier, startsAt, until && until.getTime() - startsAt.getTime());

/**
 * The change that adds rows for a plan and end that were written to the key without paid-time rows, such as by a
 * former release.
 */
function carry(
  key: StoredKeyAccess,
  rows: readonly PaidTimeRow[],
  access: KeyAccess | null,
  now: Date,
): Change {
  const { planTier, expiresAt, stretches } = key;
  if (access === null)
    return expiresAt !== null && expiresAt <= now
      ? NOTHING
      : {
          end: [],
          add: [paidTimeToAddUntil("carried", planTier, now, expiresAt)],
        };
  const isSameEnd =
    expiresAt === null || access.expiresAt === null
      ? expiresAt === access.expiresAt
      : Math.abs(expiresAt.getTime() - access.expiresAt.getTime()) < SECOND_MS;
  // The column `plan_tier` is current only for a key with a single plan that has not expired.
  const plan = stretches === null && (expiresAt === null || expiresAt > now) ? planTier : access.planTier;
  if (isSameEnd && plan === access.planTier) return NOTHING;
  return paidTimeReplacement({ key, rows, access }, { planTier: plan, expiresAt }, "carried", now);
}

/** The access after a change. If access is over before and after the change, it keeps the later of the two ends. */
function notEarlier(
  access: KeyAccess | null,
  { expiresAt: former }: StoredKeyAccess,
  now: Date,
): KeyAccess | null {
  const isOver = (expiresAt: Date | null) => expiresAt !== null && expiresAt <= now;
  if (access === null || !isOver(access.expiresAt) || !isOver(former)) return access;
  return { ...access, expiresAt: laterInstant(access.expiresAt, former) };
}

const withoutId =
  (subscriptionId: number) =>
  ({ id: _, ...row }: PaidTimeRow): NewPaidTime => ({ ...row, subscriptionId });

/** The rows as they are after a change. Added rows have an id below 1 until they are stored. */
function applied(rows: readonly PaidTimeRow[], { add, end }: Change, keyId: number): PaidTimeRow[] {
  const ends = new Map(end.map(({ id, at }) => [id, at]));
  return [
    ...rows.map((row) => ({ ...row, endedAt: row.endedAt ?? ends.get(row.id) ?? null })),
    ...add.map((row, i) => ({
      id: -i,
      keyId,
      kind: row.kind,
      invoiceId: row.invoiceId ?? null,
      externalSubscriptionId: row.externalSubscriptionId ?? null,
      planTier: row.planTier,
      startsAt: row.startsAt,
      durationMs: row.durationMs ?? null,
      graceMs: row.graceMs ?? 0,
      endedAt: row.endedAt ?? null,
      fromId: row.fromId ?? null,
      chargedBy: row.chargedBy ?? null,
    })),
  ];
}

/** Periods for storage: a grace period is merged with the period of the same plans before it. */
function mergePlans(stretches: readonly ConcurrentPlansPeriod[]): PlanInterval[] {
  const merged: PlanInterval[] = [];
  for (const { plans: names, until } of stretches) {
    const last = merged.at(-1);
    const written = until?.toISOString() ?? null;
    if (last?.plans.join() === names.join()) last.until = written;
    else merged.push({ plans: [...names], until: written });
  }
  return merged;
}

const earlier = (a: Date | null, b: Date | null): Date | null =>
  a === null || b === null ? (a ?? b) : a < b ? a : b;
