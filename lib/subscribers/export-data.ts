import type { Handle } from "@/db/client";
import { findPerson } from "@/db/queries/accounts";
import { type ExecutionPlace, listFilteredExecutions } from "@/db/queries/executions";
import { listOpenSessions } from "@/db/queries/sessions";
import { readSubscriberData } from "@/db/queries/subscriber-data";
import { findDeliveries } from "@/lib/access/account/find-payloads";

const ROWS_PER_PAGE = 200;

/**
 * Everything that is kept about one subscription as pieces of one JSON document: executions come page by page, so that
 * a long history is never held in memory. No key, hash or token is among it.
 */
export async function* exportSubscriberData(
  handle: Handle,
  owner: { userId: string; subscriptionId: number },
  now: Date,
): AsyncGenerator<string, void> {
  const [data, sessions] = await Promise.all([
    readSubscriberData(handle, owner.subscriptionId),
    listOpenSessions(handle, owner),
  ]);
  const head = JSON.stringify({ exportedAt: now, ...data, sessions });
  yield `${head.slice(0, -1)},"paymentDeliveries":[`;
  yield* exportDeliveries(handle, owner.subscriptionId);
  yield '],"executions":[';
  let after: ExecutionPlace | undefined;
  let separator = "";
  for (;;) {
    const rows = await listFilteredExecutions(
      handle,
      { subscriptionId: owner.subscriptionId },
      { sort: "opened_at", descending: false },
      { limit: ROWS_PER_PAGE, after },
    );
    if (rows.length > 0) {
      yield separator + rows.map(({ place, ...row }) => JSON.stringify(row)).join(",");
      separator = ",";
      after = rows.at(-1)?.place;
    }
    if (rows.length < ROWS_PER_PAGE) break;
  }
  yield "]}";
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
