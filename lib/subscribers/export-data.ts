import type { Handle } from "@/db/client";
import { findPerson } from "@/db/queries/accounts";
import { everyFilteredExecution } from "@/db/queries/executions";
import { listOpenSessions } from "@/db/queries/sessions";
import { readSubscriberData } from "@/db/queries/subscriber-data";
import { findDeliveries } from "@/lib/access/account/find-payloads";

/**
 * Everything that is kept about one subscription as pieces of one JSON document: executions come page by page, and
 * between two pieces nothing but text is held. No key, hash or token is among it.
 */
export async function* exportSubscriberData(
  handle: Handle,
  owner: { userId: string; subscriptionId: number },
  now: Date,
): AsyncGenerator<string, void> {
  yield await headOf(handle, owner, now);
  const { subscriptionId } = owner;
  yield ',"paymentDeliveries":[';
  yield* exportDeliveries(handle, subscriptionId);
  yield '],"executions":[';
  const order = { sort: "opened_at", descending: false } as const;
  const nextRows = everyFilteredExecution(handle, { subscriptionId }, order);
  const nextText = async () => (await nextRows()).map(({ place, ...row }) => JSON.stringify(row)).join(",");
  let separator = "";
  for (let text = await nextText(); text !== ""; text = await nextText()) {
    yield separator + text;
    separator = ",";
  }
  yield "]}";
}

/** Everything but the long lists, without the last brace. */
async function headOf(
  handle: Handle,
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

/** What payment platforms sent about the person, word by word. */
async function* exportDeliveries(handle: Handle, subscriptionId: number): AsyncGenerator<string, void> {
  // Of a subscription alone: another one of the same address has an export of its own, as the page says.
  const { addresses } = await findPerson(handle, subscriptionId);
  let separator = "";
  for await (const found of findDeliveries(handle, { subscriptionIds: [subscriptionId], addresses })) {
    for (const { id, text } of found) {
      yield separator + JSON.stringify({ deliveryId: id, body: text });
      separator = ",";
    }
  }
}
