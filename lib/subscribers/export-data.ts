import type { DatabaseHandle } from "@/db/client";
import { readPersonIdentifiers } from "@/db/queries/accounts";
import { filteredExecutionPages } from "@/db/queries/executions";
import { listOpenSessions } from "@/db/queries/sessions";
import { readSubscriberData } from "@/db/queries/subscriber-data";
import { findPaymentDeliveries } from "@/lib/access/account/find-payloads";

/**
 * The data stored about one subscription, as pieces of one JSON document. Executions and payment deliveries are read
 * page by page, so that memory holds one page. Apart from the deliveries' bodies, which are verbatim, it contains no
 * key, hash or token.
 */
export async function* exportSubscriberData(
  handle: DatabaseHandle,
  owner: { userId: string; subscriptionId: number },
  now: Date,
): AsyncGenerator<string, void> {
  yield await headOf(handle, owner, now);
  const { subscriptionId } = owner;
  yield ',"paymentDeliveries":[';
  yield* exportDeliveries(handle, subscriptionId);
  yield '],"executions":[';
  const order = { sort: "opened_at", descending: false } as const;
  const nextRows = filteredExecutionPages(handle, { subscriptionId }, order);
  const nextText = async () => (await nextRows()).map(({ cursor, ...row }) => JSON.stringify(row)).join(",");
  let separator = "";
  for (let text = await nextText(); text !== ""; text = await nextText()) {
    yield separator + text;
    separator = ",";
  }
  yield "]}";
}

/** All data except the long lists, without the closing brace. */
async function headOf(
  handle: DatabaseHandle,
  owner: { userId: string; subscriptionId: number },
  now: Date,
): Promise<string> {
  const [data, sessions] = await Promise.all([
    readSubscriberData(handle, owner.subscriptionId),
    listOpenSessions(handle, owner),
  ]);
  const head = JSON.stringify({ exportedAt: now, ...data, sessions });
  return head.slice(0, -1);
}

/** Deliveries of payment platforms about the person, verbatim. */
async function* exportDeliveries(
  handle: DatabaseHandle,
  subscriptionId: number,
): AsyncGenerator<string, void> {
  // Of this subscription only: the page says that each subscription of an address has its own export.
  const { addresses } = await readPersonIdentifiers(handle, subscriptionId);
  let separator = "";
  for await (const found of findPaymentDeliveries(handle, { subscriptionIds: [subscriptionId], addresses })) {
    for (const { id, text } of found) {
      yield separator + JSON.stringify({ deliveryId: id, body: text });
      separator = ",";
    }
  }
}
