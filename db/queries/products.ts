import { and, eq, sql } from "drizzle-orm";
import type { DatabaseHandle, Transaction } from "@/db/client";
import { products } from "@/db/schema";
import type { PaymentAdapterName } from "@/lib/vocabulary";
import { columns, number, text } from "./columns";
import { isInForce, keyColumnsAs } from "./key-state";

export type ProductRow = typeof products.$inferSelect;
type ProductId = Pick<ProductRow, "adapter" | "externalId">;

const isProduct = ({ adapter, externalId }: ProductId) =>
  and(eq(products.adapter, adapter), eq(products.externalId, externalId));

/** A product, locked until commit; null: none. */
export async function lockProduct(tx: Transaction, id: ProductId): Promise<ProductRow | null> {
  const [row] = await tx.select().from(products).where(isProduct(id)).for("update");
  return row ?? null;
}

/** Inserts or replaces a product. */
export async function writeProduct(tx: Transaction, product: ProductRow): Promise<void> {
  const { adapter: _, externalId: __, ...set } = product;
  await tx
    .insert(products)
    .values(product)
    .onConflictDoUpdate({ target: [products.adapter, products.externalId], set });
}

export async function deleteProduct(tx: Transaction, id: ProductId): Promise<void> {
  await tx.delete(products).where(isProduct(id));
}

const BUYERS = columns({
  adapter: text<PaymentAdapterName>("i.adapter"),
  externalId: text("i.product_id"),
  n: number("count(distinct i.subscription_id)::int"),
});

/** Number of subscribers with access whose newest paid invoice is for a product, by `productKey`. */
export async function countBuyersByProduct(handle: DatabaseHandle): Promise<Map<string, number>> {
  const rows = await BUYERS.all(
    handle,
    sql`
    select ${BUYERS.list}
      from (select distinct on (subscription_id) subscription_id, adapter, product_id
              from invoices
             where state = 'paid' and subscription_id is not null
             order by subscription_id, created_at desc) i
     where i.product_id is not null
       and exists (select 1 from api_keys k where k.subscription_id = i.subscription_id and ${isInForce(keyColumnsAs("k"))})
     group by 1, 2`,
  );
  return new Map(rows.map(({ adapter, externalId, n }) => [productKey({ adapter, externalId }), n]));
}

export const productKey = ({ adapter, externalId }: ProductId) => `${adapter}/${externalId}`;
