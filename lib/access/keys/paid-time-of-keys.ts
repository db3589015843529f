import type { Handle, Transaction } from "@/db/client";
import {
  endPaidTime,
  insertPaidTime,
  isCarriedTimeWhole,
  type LedgerKey,
  listLedger,
  listLedgerKeys,
  listPaidTime,
  lockKeysOfSeveralPlans,
  type NewPaidTime,
  type PaidTimeRow,
  takeOverPaidTime,
  type WrittenAccess,
  writeAccess,
} from "@/db/queries/paid-time";
import type { StoredInterval } from "@/db/schema";
import { type PaidTime, type Stretch, stretchAt, stretchesOf, timeLeft } from "@/lib/access/paid-time";
import { plans } from "@/lib/access/plans";
import { yieldingMap } from "@/lib/runtime/yielding-map";
import { laterInstant, SECOND_MS } from "@/lib/time";
import type { PaidTimeKind, PlanTier } from "@/lib/vocabulary";

/** What a key amounts to at a moment: the highest plan in force, and the end of all of it. */
export interface Access {
  planTier: PlanTier;
  expiresAt: Date | null;
  stretches: StoredInterval[] | null;
}

/** Time that is added to a key. */
export type AddedTime = Omit<NewPaidTime, "subscriptionId" | "keyId">;

/** What a change does with the rows of one key. */
interface Change {
  add: readonly AddedTime[];
  /** Rows that become others. */
  end: readonly { id: number; at: Date }[];
}

/** Time that was paid for. */
export const PAID_KINDS: ReadonlySet<PaidTimeKind> = new Set<PaidTimeKind>(["payment", "trial", "change"]);

/** Whether nothing but payments made these rows: an end that was set by hand is the end, without a grace after it. */
export const isPaidAlone = (rows: readonly PaidTimeRow[]): boolean =>
  rows.every(({ kind, endedAt }) => kind === "grace" || (endedAt === null && PAID_KINDS.has(kind)));

const NOTHING: Change = { add: [], end: [] };

/** The ledger of a key as it is when it changes. */
export interface Ledger {
  key: LedgerKey;
  rows: readonly PaidTimeRow[];
  /** What the rows amount to; null where there are none. */
  access: Access | null;
}

/** What rows amount to at `now`; null where nothing of them counts. */
export function accessOf(rows: readonly PaidTime[], now: Date): Access | null {
  const stretches = stretchesOf(rows, plans());
  const last = stretches.at(-1);
  if (!last) return null;
  const ahead = stretches.filter(({ until }) => until === null || until > now);
  const merged = mergePlans(ahead);
  return {
    planTier: (stretchAt(stretches, now) ?? last).plans[0] ?? "",
    expiresAt: last.until,
    stretches: merged.length > 1 || (merged[0]?.plans.length ?? 0) > 1 ? merged : null,
  };
}

/**
 * Changes the ledgers of keys that the caller holds, and writes on the keys what they amount to: five statements, however
 * many keys. An end or a plan that was written without the ledger is entered into it first. Returns the access of each key.
 */
export async function changePaidTime(
  tx: Transaction,
  keyIds: readonly number[],
  now: Date,
  change: (ledger: Ledger) => Change,
): Promise<Map<number, Access>> {
  const [keys, all] = await Promise.all([listLedgerKeys(tx, keyIds), listPaidTime(tx, keyIds)]);
  const rowsOf = new Map<number, PaidTimeRow[]>(keys.map(({ keyId }) => [keyId, []]));
  for (const row of all) rowsOf.get(row.keyId)?.push(row);
  const ended: { id: number; at: Date }[] = [];
  const added: NewPaidTime[] = [];
  const written: WrittenAccess[] = [];
  const accesses = new Map<number, Access>();
  await yieldingMap(keys, (key) => {
    const { keyId, subscriptionId } = key;
    const found = rowsOf.get(keyId) ?? [];
    const carried = carry(key, found, accessOf(found, now), now);
    const rows = applied(found, carried, keyId);
    const wanted = change({ key, rows, access: accessOf(rows, now) });
    const access = notEarlier(accessOf(applied(rows, wanted, keyId), now), key, now);
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
  // A row that was carried over and ended at once is entered as ended.
  await endPaidTime(
    tx,
    ended.filter(({ id }) => id > 0),
  );
  await writeAccess(tx, written);
  return accesses;
}

/**
 * Hands what a subscriber paid and still has on to a new key, and writes on it what that amounts to; null, and the key as
 * it was made, where nothing is left.
 */
export async function adoptPaidTime(
  tx: Transaction,
  { keyId, subscriptionId }: { keyId: number; subscriptionId: number },
  now: Date,
): Promise<Access | null> {
  const access = await paidTimeLeft(tx, subscriptionId, now);
  if (access === null) return null;
  await takeOverPaidTime(tx, subscriptionId, keyId);
  await writeAccess(tx, [{ keyId, ...access }]);
  return access;
}

/** What a subscriber paid and still has, whatever key it was for; null where nothing is left. */
export async function paidTimeLeft(
  handle: Handle,
  subscriptionId: number,
  now: Date,
): Promise<Access | null> {
  const [rows, isCarriedWhole] = await Promise.all([
    listLedger(handle, subscriptionId),
    isCarriedTimeWhole(handle, subscriptionId),
  ]);
  const access = accessOf(
    rows.filter(
      ({ kind, endedAt }) =>
        endedAt === null &&
        (PAID_KINDS.has(kind) || kind === "grace" || (kind === "carried" && isCarriedWhole)),
    ),
    now,
  );
  return access === null || (access.expiresAt !== null && access.expiresAt <= now) ? null : access;
}

/**
 * Before scopes or ranks of plans change: on keys with several plans, what is left of each row becomes a row from `now` on,
 * so that the new scopes judge the time ahead and not the past.
 */
export async function settlePaidTime(tx: Transaction, now: Date): Promise<void> {
  const keyIds = await lockKeysOfSeveralPlans(tx);
  if (keyIds.length === 0) return;
  await changePaidTime(tx, keyIds, now, ({ rows }) => {
    const left = timeLeft(rows, plans(), now);
    const open = rows.flatMap((row, i) => {
      const ms = left[i] ?? 0;
      return ms > 0 && row.startsAt < now ? [{ row, ms }] : [];
    });
    return {
      end: open.map(({ row }) => ({ id: row.id, at: now })),
      add: open.map(({ row: { id, kind, planTier, externalSubscriptionId, graceMs }, ms }) => ({
        ...timeRow(PAID_KINDS.has(kind) ? "change" : kind, planTier, now, Number.isFinite(ms) ? ms : null),
        externalSubscriptionId,
        graceMs,
        fromId: storedId(id),
      })),
    };
  });
}

/** The id of a row that others are made from; null for one that is stored together with them. */
export const storedId = (id: number): number | null => (id > 0 ? id : null);

/** Gives a key its plan and end literally: what it had becomes one row from `now` to the end. */
export function literally(
  { rows, access, key }: Ledger,
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
    // The days count from the end of those before. A grace after a failed payment is over with them.
    const isGrace = (row: PaidTimeRow) => row.kind === "grace" && row.endedAt === null;
    const days = accessOf(
      rows.filter((row) => !isGrace(row)),
      now,
    );
    const from = Math.max(now.getTime(), (days ?? held).expiresAt?.getTime() ?? 0);
    return {
      end: rows.filter(isGrace).map(({ id }) => ({ id, at: now })),
      add: [timeRow(kind, planTier, now, expiresAt && expiresAt.getTime() - from)],
    };
  }
  const end = rows.filter((row) => row.endedAt === null).map(({ id }) => ({ id, at: now }));
  if (planTier !== held.planTier) return { end, add: [timeUntil(kind, planTier, now, expiresAt)] };
  // The end comes earlier: what lies before it stays as it was.
  const add = stretchesOf(rows, plans()).flatMap(({ plans: names, from, until }) => {
    const begin = from < now ? now : from;
    const over = earlier(until, expiresAt);
    if (over !== null && over <= begin) return [];
    return names.map((name) => timeUntil(kind, name, begin, over));
  });
  return { end, add };
}

export function timeRow(
  kind: PaidTimeKind,
  planTier: PlanTier,
  startsAt: Date,
  durationMs: number | null,
): AddedTime {
  return { kind, planTier, startsAt, durationMs };
}

/** Time from an instant to an end; null: without an end. */
export const timeUntil = (
  kind: PaidTimeKind,
  planTier: PlanTier,
  startsAt: Date,
  until: Date | null,
): AddedTime => timeRow(kind, planTier, startsAt, until && until.getTime() - startsAt.getTime());

/** What was written on a key without the ledger, such as by the release before, entered as rows. */
function carry(key: LedgerKey, rows: readonly PaidTimeRow[], access: Access | null, now: Date): Change {
  const { planTier, expiresAt, stretches } = key;
  if (access === null)
    return expiresAt !== null && expiresAt <= now
      ? NOTHING
      : {
          end: [],
          add: [timeUntil("carried", planTier, now, expiresAt)],
        };
  const isSameEnd =
    expiresAt === null || access.expiresAt === null
      ? expiresAt === access.expiresAt
      : Math.abs(expiresAt.getTime() - access.expiresAt.getTime()) < SECOND_MS;
  // Where plans follow each other, the column holds the one of the last change.
  const plan = stretches === null && (expiresAt === null || expiresAt > now) ? planTier : access.planTier;
  if (isSameEnd && plan === access.planTier) return NOTHING;
  return literally({ key, rows, access }, { planTier: plan, expiresAt }, "carried", now);
}

/** Access that is over never ends earlier than it did. */
function notEarlier(access: Access | null, { expiresAt: former }: LedgerKey, now: Date): Access | null {
  const isOver = (expiresAt: Date | null) => expiresAt !== null && expiresAt <= now;
  if (access === null || !isOver(access.expiresAt) || !isOver(former)) return access;
  return { ...access, expiresAt: laterInstant(access.expiresAt, former) };
}

const withoutId =
  (subscriptionId: number) =>
  ({ id: _, ...row }: PaidTimeRow): NewPaidTime => ({ ...row, subscriptionId });

/** Rows after a change; what is added has a number below 1 until it is stored. */
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

/** Stretches as they are kept: grace is time of the plans before it. */
function mergePlans(stretches: readonly Stretch[]): StoredInterval[] {
  const merged: StoredInterval[] = [];
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
