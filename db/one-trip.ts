import type postgres from "postgres";

/** What the driver sends of a query; its types leave it out. */
interface Unsent {
  /** Values that are sent once the server has said what types they have. */
  args: unknown[];
  /** Values that are sent with the text. */
  parameters?: unknown[];
}

/**
 * Sends a query and its values together, and gives it back.
 *
 * The driver (3.4.9) sends a text that its connection does not know alone, asks what types its values have, and writes them by
 * that: two round trips, and in a transaction whatever comes behind it waits for both. Text, numbers and null are written in
 * the same way whatever their type. Where there are only these they go along with the text (decision 351).
 */
export function inOneTrip<Q>(client: Pick<postgres.Sql, "options">, query: Q, values: unknown[] = []): Q {
  // Whoever listens in is told of the driver's own values alone.
  if (values.length === 0 || !values.every(isPlain) || client.options.debug) return query;
  const unsent = query as unknown as Unsent;
  unsent.args = [];
  unsent.parameters = [...values];
  return query;
}

const isPlain = (value: unknown): boolean =>
  value === null || typeof value === "string" || typeof value === "number";

/** The transaction with each of its statements sent so. */
export function inOneTripEach(
  client: Pick<postgres.Sql, "options">,
  tx: postgres.TransactionSql,
): postgres.TransactionSql {
  const unsafe: postgres.Sql["unsafe"] = (text, values, options) =>
    inOneTrip(client, tx.unsafe(text, values, options), values);
  return new Proxy(tx, {
    get: (target, name) => (name === "unsafe" ? unsafe : Reflect.get(target, name)),
  });
}
