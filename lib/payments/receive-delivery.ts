import type { Database } from "@/db/client";
import { recordPaymentDelivery } from "@/db/queries/payment-deliveries";
import type { Actor } from "@/lib/runtime/audit";
import { emailTag, type LogFields, log, shortEmailHash } from "@/lib/runtime/log";
import { processWide } from "@/lib/runtime/process-wide";
import { encrypt } from "@/lib/runtime/secrets";
import { settingsCache } from "@/lib/runtime/settings-cache";
import { ANSWER_WITHIN_MS, isDeadlock, withDeadline } from "@/lib/runtime/unavailable";
import type { PaymentAdapterName } from "@/lib/vocabulary";
import { AppError } from "@/lib/wire/errors";
import { writeJson } from "@/lib/wire/json";
import type { PaymentAdapter } from "./adapters/adapter";
import { applyDelivery } from "./apply-delivery";
import { deliveryBodyDigest, type PaymentDelivery } from "./delivery";
import type { DeliveryAnswer, DeliveryOutcome, InboxAction, InboxFlag } from "./outcome";

/** A body that arrived `nTimes`, with its digest by which equal bytes are recognised. */
interface ReceivedBytes {
  body: Uint8Array;
  digest: string;
  nTimes: number;
}

/** A delivery that is being applied. Equal bytes that arrive meanwhile wait for it, and are then applied together once. */
interface UnderWay {
  first: Promise<DeliveryAnswer>;
  nMore: number;
  more: Promise<DeliveryAnswer> | null;
}
const underWay = () => processWide("payment-bytes", () => new Map<string, UnderWay>());

/**
 * Receives a body whose signature is valid. One transaction records it in the inbox, applies it and queues the mails,
 * so that a crash leaves all or nothing, and the platform's retry ends in the same state. Bytes that were received
 * before are counted and applied again. They change something only if they had no effect before and the present rules
 * give them one.
 *
 * Returns the body of the 200. Throws 400 `invalid_payload`, after recording it, for a body that cannot be read; 409
 * `conflict` for a payment of a customer whose address has not arrived yet; and DeadlineError after `withinMs`,
 * because the lock timeouts can add up to more. Work already begun continues, so that a retry finds it done or shares
 * its answer.
 */
export function receiveDelivery(
  database: Database,
  adapter: PaymentAdapter,
  body: Uint8Array,
  actor: Actor,
  withinMs = ANSWER_WITHIN_MS,
): Promise<DeliveryAnswer> {
  return withDeadline(receive(database, adapter, body, actor), withinMs);
}

function receive(
  database: Database,
  adapter: PaymentAdapter,
  body: Uint8Array,
  actor: Actor,
): Promise<DeliveryAnswer> {
  const digest = deliveryBodyDigest(body, adapter.name);
  const receiveBytes = async (nTimes: number) => {
    const bytes = { body, digest, nTimes };
    return applyAndRecord(database, bytes, await readOrRecord(database, adapter, bytes), actor);
  };
  const applied = underWay();
  const present = applied.get(digest);
  if (present) {
    present.nMore++;
    present.more ??= present.first
      .catch(() => undefined)
      .then(() => {
        applied.delete(digest);
        return receiveBytes(present.nMore);
      });
    return present.more;
  }
  const own: UnderWay = { first: receiveBytes(1), nMore: 0, more: null };
  applied.set(digest, own);
  return own.first.finally(() => {
    if (own.more === null) applied.delete(digest);
  });
}

async function applyAndRecord(
  database: Database,
  bytes: ReceivedBytes,
  read: PaymentDelivery,
  actor: Actor,
): Promise<DeliveryAnswer> {
  // Read the plans first: a transaction that waits for a lock holds a connection and must not need a second one.
  await settingsCache().get();
  const apply = () =>
    database.transaction(async (tx) => {
      const { delivery, outcome } = await applyDelivery(tx, read, { actor, bodyDigest: bytes.digest });
      const row = await recordPaymentDelivery(tx, {
        ...inboxRow(read.adapter, bytes),
        isTest: read.isTest,
        event: read.platformEvent,
        invoiceId: delivery.invoiceId,
        emailHash: delivery.buyer && shortEmailHash(delivery.buyer.emailNormalized),
        ...outcomeColumns(outcome),
      });
      return { delivery, deliveryId: row.id, repeated: row.nReceived > bytes.nTimes, outcome };
    });
  const { delivery, ...recorded } = await apply()
    // A payment and a delivery that links it to an earlier plan change can deadlock. After the rollback the other one has
    // its locks, so this one is applied again.
    .catch((error) => (isDeadlock(error) ? apply() : Promise.reject(error)))
    .catch((error) => recordConflict(database, read, bytes, error));
  logDelivery(delivery, recorded, actor);
  return recorded.outcome.answer;
}

/** Lists in the inbox a payment that the platform must send again, in case it does not. Then throws `error`. */
async function recordConflict(
  database: Database,
  read: PaymentDelivery,
  bytes: ReceivedBytes,
  error: unknown,
): Promise<never> {
  if (error instanceof AppError && error.code === "conflict")
    await database.transaction((tx) =>
      recordPaymentDelivery(tx, {
        ...inboxRow(read.adapter, bytes),
        isTest: read.isTest,
        event: read.platformEvent,
        invoiceId: read.invoiceId,
        emailHash: null,
        action: "rejected" satisfies InboxAction,
        reason: error.code,
        flags: ["unknown_customer" satisfies InboxFlag],
        answer: { code: error.code },
      }),
    );
  throw error;
}

async function readOrRecord(
  database: Database,
  adapter: PaymentAdapter,
  bytes: ReceivedBytes,
): Promise<PaymentDelivery> {
  try {
    return adapter.read(bytes.body, new Date());
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { id: deliveryId } = await database.transaction((tx) =>
      recordPaymentDelivery(tx, {
        ...inboxRow(adapter.name, bytes),
        event: null,
        invoiceId: null,
        emailHash: null,
        action: "rejected" satisfies InboxAction,
        reason: error.code,
        flags: ["unreadable" satisfies InboxFlag],
        answer: { code: error.code },
      }),
    );
    log("warn", "a signed payment delivery could not be read", { deliveryId, reason: error.code });
    throw error;
  }
}

/** Inbox columns for a received body. The exact bytes are stored, so that they can be applied again. */
function inboxRow(adapter: PaymentAdapterName, { body, digest, nTimes }: ReceivedBytes) {
  const payloadEncrypted = encrypt(Buffer.from(body).toString("base64"));
  return { adapter, bodyDigest: digest, payloadEncrypted, nReceived: nTimes };
}

/** Inbox columns for the result of a delivery. */
export function outcomeColumns({ answer, flags, effect, planChange }: DeliveryOutcome) {
  // As on the wire, so that the inbox shows the answer that the platform got.
  const written: unknown = JSON.parse(writeJson(answer));
  return {
    action: (effect ?? answer.action) satisfies InboxAction,
    reason: answer.action === "ignored" && effect === undefined ? answer.reason : (planChange ?? null),
    flags: [...new Set<string>(flags)],
    // A test event needs no review.
    ...(flags.length === 1 && flags[0] === "test_event" ? { reviewedAt: new Date() } : {}),
    answer: written,
  };
}

/** Ids of this form cannot contain an e-mail address, so they may be logged. */
const PLAIN_ID = /^[A-Za-z0-9_:-]{1,80}$/;

function logDelivery(
  delivery: PaymentDelivery,
  recorded: { deliveryId: number; outcome: DeliveryOutcome; repeated: boolean },
  actor: Actor,
): void {
  const { answer, flags } = recorded.outcome;
  const fields: LogFields = {
    requestId: "requestId" in actor ? actor.requestId : undefined,
    deliveryId: recorded.deliveryId,
    kind: delivery.adapter === "generic" ? undefined : delivery.adapter,
    invoiceId: PLAIN_ID.test(delivery.invoiceId) ? delivery.invoiceId : undefined,
    action: answer.action,
    reason: answer.action === "ignored" ? answer.reason : recorded.repeated ? "repeated" : undefined,
    keyId: "key_id" in answer ? answer.key_id : undefined,
    count: "keys_revoked" in answer ? answer.keys_revoked : undefined,
    email: delivery.buyer ? emailTag(delivery.buyer.emailNormalized) : undefined,
  };
  log(flags.length > 0 ? "warn" : "info", "payment delivery", fields);
}
