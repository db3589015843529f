import type { Transaction } from "@/db/client";
import type { PublishedChampion } from "@/db/queries/outbound-events";
import type { ComputeReceiverAccess } from "@/db/queries/outbound-grants";
import { listModelMailRecipients } from "@/db/queries/reminders";
import { compareSlots } from "@/lib/market/slot-order";
import { isInScope } from "@/lib/outbound/in-scope";
import { queueMail } from "./queue-mail";

/** Maximum number of slots listed in a mail. */
const MAX_NAMED = 12;

/**
 * Queues mails about changed champions for subscribers who want them and whose plan has one of the slots, in the
 * transaction that marks the champions as announced. Returns the number of mails.
 */
export async function queueModelMails(
  tx: Transaction,
  changes: readonly PublishedChampion[],
  accessOf: ComputeReceiverAccess,
): Promise<number> {
  if (changes.length === 0) return 0;
  const inOrder = changes.toSorted(compareSlots);
  let queued = 0;
  for (const { email, userName, ...reader } of await listModelMailRecipients(tx)) {
    const scope = accessOf(reader)?.scope;
    const own = inOrder.filter((change) => scope && isInScope(scope, change));
    const [first] = own;
    if (!first) continue;
    const { subscriptionId } = reader;
    const mail = await queueMail(tx, {
      kind: "model-changed",
      dedupeKey: `model-changed/${subscriptionId}/${first.slotId}/${first.modelV}/${first.championSince.getTime()}`,
      subscriptionId,
      recipient: email,
      props: {
        userName,
        slots: own
          .slice(0, MAX_NAMED)
          .map(({ symbol, timeframe, modelV }) => ({ slot: `${symbol} ${timeframe}`, modelV })),
        nSlots: own.length,
      },
    });
    if (mail.queued) queued++;
  }
  return queued;
}
