import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type { Database, Handle } from "@/db/client";
import { readClock } from "@/db/queries/instants";
import { listProducts } from "@/db/queries/payments";
import { listPlans, type Plan, shiftRanks, writePlan } from "@/db/queries/plans";
import { productKey, writeProduct } from "@/db/queries/products";
import { lockSettings } from "@/db/queries/settings";
import { listSymbolSettings, type SymbolSettings, writeSymbol } from "@/db/queries/symbols";
import { previewPlan } from "@/lib/access/change-plan";
import { settlePaidTime } from "@/lib/access/keys/paid-time-of-keys";
import { parseSymbol } from "@/lib/market/symbols";
import type { Actor } from "@/lib/runtime/audit";
import { operated } from "@/lib/runtime/operated";
import { CALENDARS, COST_KINDS, PAYMENT_ADAPTERS, PLAN_NAME, PLAN_TIERS, TIMEFRAMES } from "@/lib/vocabulary";

import { changesOf } from "./settings-changes";
import { exportSections, SiteSections, sectionChanges, sectionProblems } from "./settings-sections";

const text = (most: number) => z.string().trim().min(1).max(most);
const SymbolCode = z.string().refine((code) => parseSymbol(code) === code, "must be a symbol in capitals");
const Url = z.url({ protocol: /^https?$/ }).max(500);

const PlanEntry = z.strictObject({
  name: z.string().regex(PLAN_NAME, "must be 2 to 24 small letters, digits, - or _, a letter first"),
  title: text(60),
  forWhom: z.string().max(200),
  rank: z.int().min(1).max(2_000_000),
  symbols: z.array(SymbolCode).min(1).max(200).nullable(),
  timeframes: z.array(z.enum(TIMEFRAMES)).min(1).nullable(),
  rateLimitPerMin: z.int().min(1).max(100_000),
  longPoll: z.boolean(),
  stream: z.boolean(),
  webhooks: z.boolean(),
  telegram: z.boolean(),
  priceText: text(60).nullable(),
  shopUrl: Url.nullable(),
  isShown: z.boolean(),
});

const ProductEntry = z.strictObject({
  adapter: z.enum(PAYMENT_ADAPTERS),
  externalId: text(100),
  planTier: z.string(),
  periodDays: z.int().min(1).max(3660),
  graceDays: z.int().min(0).max(366),
});

const SymbolEntry = z.strictObject({
  symbol: SymbolCode,
  calendar: z.enum(CALENDARS),
  digits: z.int().min(0).max(9),
  costKind: z.enum(COST_KINDS),
  costValue: z.number().min(0),
  description: text(200).nullable(),
  aliases: z.array(text(64).refine((alias) => alias === alias.toUpperCase(), "must be in capitals")).max(50),
  isGuessed: z.boolean(),
});

const SettingsFile = z.strictObject({
  version: z.literal(1),
  plans: z.array(PlanEntry),
  products: z.array(ProductEntry),
  symbols: z.array(SymbolEntry),
  // Files of before these could be set name none of them.
  ...SiteSections.shape,
});
export type SettingsFile = z.output<typeof SettingsFile>;

/** Every setting of an operator as one value: what `importSettings` takes. */
export async function exportSettings(database: Database): Promise<SettingsFile> {
  const [plans, products, symbols, sections] = await Promise.all([
    listPlans(database),
    listProducts(database),
    listSymbolSettings(database),
    exportSections(database),
  ]);
  // What the table holds was judged by the same rules when it was written.
  return SettingsFile.parse({ version: 1, plans, products, symbols, ...sections });
}

export type Imported =
  | { ok: true; changed: string[] }
  /** One line for each: its place, and what is wrong there. */
  | { ok: false; errors: string[] };

/**
 * Stores what a file says, all of it or nothing. What it does not name stays as it is. With `isTrial` nothing is stored
 * and what would change is returned all the same. A plan that would leave subscribers without any slot is an error that
 * says how many, unless `mayCutOff`.
 */
export async function importSettings(
  database: Database,
  content: unknown,
  { isTrial = false, mayCutOff = false }: { isTrial?: boolean; mayCutOff?: boolean },
  actor: Actor,
): Promise<Imported> {
  const parsed = SettingsFile.safeParse(content);
  if (!parsed.success)
    return {
      ok: false,
      errors: parsed.error.issues.map(({ path, message }) => `${path.join(".") || "file"}: ${message}`),
    };
  const file = parsed.data;
  const imported = await database.transaction(async (tx): Promise<Imported> => {
    await lockSettings(tx);
    const before = {
      plans: new Map((await listPlans(tx)).map((plan) => [plan.name, plan])),
      products: new Map((await listProducts(tx)).map((product) => [productKey(product), product])),
      symbols: new Map((await listSymbolSettings(tx)).map((symbol) => [symbol.symbol, symbol])),
    };
    const errors = [
      ...contradictionsIn(file, before),
      ...sectionProblems(file),
      ...(mayCutOff ? [] : await cutOffs(tx, file.plans, before.plans)),
    ];
    if (errors.length > 0) return { ok: false, errors };
    const changes = [
      ...changesOf("plan", file.plans, ({ name }) => name, before.plans, writePlan),
      ...changesOf("product", file.products, productKey, before.products, writeProduct),
      ...changesOf("symbol", file.symbols, ({ symbol }) => symbol, before.symbols, writeSymbol),
      ...(await sectionChanges(tx, file)),
    ];
    if (!isTrial) {
      const hasPlans = changes.some(({ target }) => target.startsWith("plan/"));
      if (hasPlans) {
        await operated().get();
        await settlePaidTime(tx, await readClock(tx));
      }
      // Two plans may exchange their ranks, which are unique at every moment.
      if (hasPlans) await shiftRanks(tx, "aside");
      for (const change of changes) await change.store(tx, actor);
      if (hasPlans) await shiftRanks(tx, "back");
    }
    return { ok: true, changed: changes.map(({ target }) => target) };
  });
  if (imported.ok && !isTrial) await operated().readAgain();
  return imported;
}

/** The plans of a file that would leave somebody with access without any slot. */
async function cutOffs(
  handle: Handle,
  plans: readonly Plan[],
  before: ReadonlyMap<string, Plan>,
): Promise<string[]> {
  const errors: string[] = [];
  for (const plan of plans) {
    const former = before.get(plan.name);
    if (!former || isDeepStrictEqual(former, plan)) continue;
    const { cutsOff } = await previewPlan(handle, former, plan);
    if (cutsOff > 0)
      errors.push(
        `plans: ${plan.name} would cut off ${cutsOff} subscriber${cutsOff === 1 ? "" : "s"}; --cut-off stores it all the same`,
      );
  }
  return errors;
}

interface Stored {
  plans: ReadonlyMap<string, Plan>;
  symbols: ReadonlyMap<string, SymbolSettings>;
}

/** What of a file contradicts itself, the interface, or what stays beside it. */
function contradictionsIn(file: SettingsFile, stored: Stored): string[] {
  const plans = new Map<string, Plan>([
    ...stored.plans,
    ...file.plans.map((plan) => [plan.name, plan] as const),
  ]);
  const symbols = new Map([
    ...stored.symbols,
    ...file.symbols.map((entry) => [entry.symbol, entry] as const),
  ]);
  const aliases = [...symbols.values()].flatMap((entry) => entry.aliases);
  const rankOf = (name: string) => plans.get(name)?.rank ?? 0;
  const [telegram, ...higher] = PLAN_TIERS;
  const isInOrder = higher.every((name, i) => rankOf(name) > rankOf([telegram, ...higher][i] ?? telegram));
  const owner = plans.get("owner");
  return [
    ...repeated(file.plans.map(({ name }) => name)).map((name) => `plans: ${name} stands there twice`),
    ...repeated(file.products.map(productKey)).map((id) => `products: ${id} stands there twice`),
    ...repeated(file.symbols.map(({ symbol }) => symbol)).map(
      (symbol) => `symbols: ${symbol} stands there twice`,
    ),
    ...repeated([...plans.values()].map(({ rank }) => String(rank))).map(
      (rank) => `plans: two have the rank ${rank}`,
    ),
    ...(isInOrder ? [] : [`plans: ${PLAN_TIERS.join(", ")} must keep this order of rank`]),
    ...(owner?.symbols === null && owner.timeframes === null ? [] : ["plans: owner must not be narrowed"]),
    ...(plans.has("new") ? ["plans: new is not a name for a plan"] : []),
    ...file.products.flatMap((product) =>
      product.planTier !== "owner" && plans.has(product.planTier)
        ? []
        : [`products: ${productKey(product)} buys ${product.planTier}, which is no plan for sale`],
    ),
    ...repeated(aliases).map((alias) => `symbols: ${alias} is an alias of two`),
  ];
}

const repeated = (names: readonly string[]): string[] => [
  ...new Set(names.filter((name, i) => names.indexOf(name) !== i)),
];
