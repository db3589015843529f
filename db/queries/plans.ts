import { asc, eq, ne, sql } from "drizzle-orm";
import type { DatabaseHandle, Transaction } from "@/db/client";
import { plans } from "@/db/schema";
import type { PlanTier } from "@/lib/vocabulary";
import { columns, json, number, type Row, textArray } from "./columns";
import { concurrentPlans, holdsPlan, isInForce, keyColumnsAs, plansInForce } from "./key-state";

const PLAN = {
  name: plans.name,
  title: plans.title,
  forWhom: plans.forWhom,
  rank: plans.rank,
  symbols: plans.symbols,
  timeframes: plans.timeframes,
  rateLimitPerMin: plans.rateLimitPerMin,
  longPoll: plans.longPoll,
  stream: plans.stream,
  webhooks: plans.webhooks,
  telegram: plans.telegram,
  tradingClient: plans.tradingClient,
  priceText: plans.priceText,
  shopUrl: plans.shopUrl,
  isShown: plans.isShown,
};

export type Plan = Omit<typeof plans.$inferSelect, "createdAt">;

/** SQL: every plan as a JSON array, the lowest first. */
export const PLANS_AS_JSON = sql`(select coalesce(jsonb_agg(jsonb_build_object(${sql.join(
  Object.entries(PLAN).map(([name, column]) => sql`${sql.raw(`'${name}'`)}, ${column}`),
  sql`, `,
)}) order by ${plans.rank}), '[]'::jsonb) from ${plans})`;

/** Every plan, the lowest first. */
export async function listPlans(handle: DatabaseHandle): Promise<Plan[]> {
  return handle.select(PLAN).from(plans).orderBy(asc(plans.rank));
}

/** A plan, locked until commit; null: no such plan. */
export async function lockPlan(tx: Transaction, name: string): Promise<Plan | null> {
  const [row] = await tx.select(PLAN).from(plans).where(eq(plans.name, name)).for("update");
  return row ?? null;
}

/** Whether another plan has this rank. */
export async function isRankTaken(
  handle: DatabaseHandle,
  plan: Pick<Plan, "name" | "rank">,
): Promise<boolean> {
  const rows = await handle
    .select({ name: plans.name })
    .from(plans)
    .where(sql`${eq(plans.rank, plan.rank)} and ${ne(plans.name, plan.name)}`);
  return rows.length > 0;
}

/** Inserts or replaces a plan. */
export async function writePlan(tx: Transaction, plan: Plan): Promise<void> {
  const { name: _, ...set } = plan;
  await tx.insert(plans).values(plan).onConflictDoUpdate({ target: plans.name, set });
}

const HOLDERS = columns({
  symbolsAllowed: textArray<string[] | null>("k.symbols_allowed"),
  tfsAllowed: textArray<string[] | null>("k.tfs_allowed"),
  rateLimitPerMin: number<number | null>("k.rate_limit_per_min"),
  /** The plans in force for these keys, including the requested plan; null: only the requested plan. */
  plans: json<PlanTier[] | null>("k.plans"),
  n: number("count(*)::int"),
  nPaid: number(
    "(count(*) filter (where exists (select 1 from invoices i where i.subscription_id = k.subscription_id and i.state = 'paid')))::int",
  ),
  nEndpoints: number(
    "coalesce(sum((select count(*) from webhook_endpoints e where e.subscription_id = k.subscription_id and e.state = 'active')), 0)::int",
  ),
  nChats: number(
    "(count(*) filter (where exists (select 1 from telegram_chats c where c.subscription_id = k.subscription_id)))::int",
  ),
  nChannels: number(
    "coalesce(sum((select count(*) from channel_recipients r where r.subscription_id = k.subscription_id and r.state = 'active')), 0)::int",
  ),
});
/** A group of working keys of a plan with the same plans in force and individual limits, and numbers about it. */
export type PlanHolderGroup = Row<typeof HOLDERS>;

/** Number of working keys by plan. A key with concurrent plans counts for each of them. */
export async function countPlanHolders(handle: DatabaseHandle): Promise<Map<string, number>> {
  const rows = await handle.execute<{ plan: string; n: number }>(sql`
    select held.plan, count(*)::int as n
      from api_keys k cross join lateral jsonb_array_elements_text(${plansInForce(keyColumnsAs("k"))}) as held(plan)
     where ${isInForce(keyColumnsAs("k"))} group by 1`);
  return new Map(rows.map(({ plan, n }) => [plan, n]));
}

/**
 * The working keys of a plan, grouped by their plans and individual limits. Scans all keys, which is fine for a rare
 * request.
 */
export async function listPlanHolderGroups(
  handle: DatabaseHandle,
  planName: string,
): Promise<PlanHolderGroup[]> {
  return HOLDERS.all(
    handle,
    sql`
    select ${HOLDERS.list}
      from (select k.symbols_allowed, k.tfs_allowed, k.rate_limit_per_min, k.subscription_id, ${concurrentPlans(keyColumnsAs("k"))} as plans
              from api_keys k
             where ${holdsPlan(planName, keyColumnsAs("k"))} and ${isInForce(keyColumnsAs("k"))}) k
     group by k.symbols_allowed, k.tfs_allowed, k.rate_limit_per_min, k.plans`,
  );
}

const ASIDE = 10_000_000;

/** Adds an offset to all plans' ranks (`aside`), so that plans can swap ranks without a conflict, or removes it (`back`). */
export async function shiftRanks(tx: Transaction, way: "aside" | "back"): Promise<void> {
  if (way === "aside") await tx.execute(sql`update plans set rank = rank + ${ASIDE}`);
  else await tx.execute(sql`update plans set rank = rank - ${ASIDE} where rank > ${ASIDE}`);
}
