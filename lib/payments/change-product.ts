import { isDeepStrictEqual } from "node:util";
import type { Database, DatabaseHandle } from "@/db/client";
import {
  countBuyersByProduct,
  deleteProduct,
  lockProduct,
  type ProductRow,
  productKey,
  writeProduct,
} from "@/db/queries/products";
import { type Actor, recordAudit } from "@/lib/runtime/audit";
import { countWithNoun } from "@/lib/runtime/count-with-noun";
import {
  previewRevision,
  type SettingChangePreview,
  type SettingChangeResult,
} from "@/lib/runtime/setting-change-preview";
import { settingsCache } from "@/lib/runtime/settings-cache";
import { AppError, invalidField } from "@/lib/wire/errors";

/**
 * Stores a row of the product table, or deletes it (`after` null), if `mark` is that of the current preview; otherwise
 * returns the preview. The change applies from the next delivery on, on every instance. Throws validation_failed for a
 * plan that is not for sale, and not_found if there is no row to delete.
 */
export async function changeProduct(
  database: Database,
  change: {
    id: Pick<ProductRow, "adapter" | "externalId">;
    after: ProductRow | null;
    mark: string | undefined;
  },
  actor: Actor,
): Promise<SettingChangeResult> {
  const { id, after } = change;
  const plans = (await settingsCache().readAgain()).plans;
  if (after && (after.planTier === "owner" || !plans.some(({ name }) => name === after.planTier)))
    throw invalidField("body", "plan_tier", "must be a plan that is for sale");
  return database.transaction(async (tx): Promise<SettingChangeResult> => {
    const before = await lockProduct(tx, id);
    if (!before && !after) throw new AppError("not_found", { detail: "There is no such product." });
    if (isDeepStrictEqual(before, after)) return { outcome: "unchanged" };
    const preview = await previewProduct(tx, before, after);
    const mark = previewRevision({ before, after, preview });
    if (change.mark !== mark) return { outcome: "previewed", preview, mark };
    if (after) await writeProduct(tx, after);
    else await deleteProduct(tx, id);
    await recordAudit(tx, {
      actor,
      action: after ? (before ? "product.change" : "product.create") : "product.remove",
      target: `product/${productKey(id)}`,
      details: { before, after },
    });
    return { outcome: "stored" };
  });
}

/**
 * The preview of a change: what it changes, and the number of subscribers with access whose newest paid invoice is for
 * the product.
 */
async function previewProduct(
  handle: DatabaseHandle,
  before: ProductRow | null,
  after: ProductRow | null,
): Promise<SettingChangePreview> {
  if (!before) {
    return { lines: ["A new product. Until now its plan was read from its name."], cutsOff: 0 };
  }
  const n = (await countBuyersByProduct(handle)).get(productKey(before)) ?? 0;
  const buyers = `${n} subscriber${n === 1 ? "" : "s"} with access paid for this product last.`;
  if (!after) {
    return {
      lines: [
        `${buyers} They keep their access. The plan of their next payment would be read from the item's name, and the payment flagged.`,
      ],
      cutsOff: 0,
    };
  }
  const lines = [
    before.planTier !== after.planTier &&
      `New payments buy ${after.planTier} instead of ${before.planTier}. Days that were paid before stay days of ${before.planTier}.`,
    before.periodDays !== after.periodDays &&
      `A payment buys ${after.periodDays} days instead of ${before.periodDays}, from the next payment on.`,
    before.graceDays !== after.graceDays &&
      `Days of grace: ${after.graceDays} instead of ${before.graceDays}, for new keys and failed payments from now on.`,
    before.trialDays !== after.trialDays &&
      `Trials without a stated end: ${trialWords(after)} instead of ${trialWords(before)}.`,
    buyers,
  ].filter((line) => line !== false);
  return { lines, cutsOff: 0 };
}

const trialWords = ({ trialDays }: ProductRow) =>
  trialDays === null ? "flagged for review" : countWithNoun(trialDays, "day");
