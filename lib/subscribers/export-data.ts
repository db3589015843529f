import type { DatabaseHandle } from "@/db/client";
import { readPersonIdentifiers } from "@/db/queries/accounts";
import { filteredExecutionPages } from "@/db/queries/executions";
import { listOpenSessions } from "@/db/queries/sessions";
import { readSubscriberData } from "@/db/queries/subscriber-data";
import {
  findPersonalCustomerRecords,
  findPersonalPaymentDeliveries,
} from "@/lib/access/account/find-personal-data";

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
  yield* exportPlatformData(handle, subscriptionId);
  yield ',"executions":[';
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

/** Deliveries of payment platforms about the person, verbatim, and the platforms' customer records. */
async function* exportPlatformData(
  handle: DatabaseHandle,
  subscriptionId: number,
): AsyncGenerator<string, void> {
  // Of this subscription only: the page says that each subscription of an address has its own export.
  const { addresses } = await readPersonIdentifiers(handle, subscriptionId);
  const who = { subscriptionIds: [subscriptionId], addresses };
  yield* exportFound("paymentDeliveries", findPersonalPaymentDeliveries(handle, who), ({ id, text }) => ({
    deliveryId: id,
    body: text,
  }));
  yield* exportFound("platformCustomers", findPersonalCustomerRecords(handle, who), (customer) => ({
    platform: customer.adapter,
    customerId: customer.externalId,
    buyer: customer.text && JSON.parse(customer.text),
  }));
}

/** A section of the export: the found rows, as `write` returns them. */
async function* exportFound<R>(
  name: string,
  pages: AsyncGenerator<R[], void>,
  write: (row: R) => object,
): AsyncGenerator<string, void> {
  yield `,"${name}":[`;
  let separator = "";
  for await (const found of pages)
    for (const row of found) {
      yield separator + JSON.stringify(write(row));
      separator = ",";
    }
  yield "]";
}
