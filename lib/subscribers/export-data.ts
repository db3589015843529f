import type { Handle } from "@/db/client";
import { everyFilteredExecution } from "@/db/queries/executions";
import { listOpenSessions } from "@/db/queries/sessions";
import { readSubscriberData } from "@/db/queries/subscriber-data";

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

/** Everything but the executions, up to the bracket before the first of them. */
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
  return `${head.slice(0, -1)},"executions":[`;
}
