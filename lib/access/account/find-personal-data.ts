import type { DatabaseHandle } from "@/db/client";
import {
  listPaymentDeliveriesToSearch,
  listPlatformCustomersToSearch,
  type PersonalDataCandidate,
  type PersonalDataSearch,
  type PlatformCustomerRow,
} from "@/db/queries/accounts";
import type { PersonToErase } from "@/db/queries/personal-data";
import { shortEmailHash } from "@/lib/runtime/log";
import { decrypt } from "@/lib/runtime/secrets";

const ROWS_PER_PAGE = 200;

/** A found row with its decrypted content; `text` null: no configured key can decrypt it. */
type Found<R> = R & { text: string | null };

/**
 * Deliveries of payment platforms about a person, page by page: those of the person's invoices, and those that
 * name one of the person's addresses.
 */
export function findPersonalPaymentDeliveries(
  handle: DatabaseHandle,
  who: PersonToErase,
  afterId = 0,
): AsyncGenerator<Found<PersonalDataCandidate>[], void> {
  return search(
    (page) => listPaymentDeliveriesToSearch(handle, page),
    who,
    (sealed) => Buffer.from(decrypt(sealed), "base64").toString("utf8"),
    afterId,
  );
}

/** Customer records of payment platforms that belong to a person. */
export function findPersonalCustomerRecords(
  handle: DatabaseHandle,
  who: PersonToErase,
): AsyncGenerator<Found<PlatformCustomerRow>[], void> {
  return search((page) => listPlatformCustomersToSearch(handle, page), who, decrypt);
}

async function* search<R extends PersonalDataCandidate>(
  list: (page: PersonalDataSearch) => Promise<R[]>,
  { subscriptionIds, addresses }: PersonToErase,
  open: (sealed: string) => string,
  firstAfterId = 0,
): AsyncGenerator<Found<R>[], void> {
  const hashes = addresses.map(shortEmailHash);
  for (let afterId = firstAfterId; ; ) {
    const rows = await list({ subscriptionIds, hashes, afterId, limit: ROWS_PER_PAGE });
    yield rows.flatMap((row) => {
      const text = opened(row.sealed, open);
      return row.isTheirs || (text !== null && names(text, addresses)) ? [{ ...row, text }] : [];
    });
    const last = rows.at(-1);
    if (last === undefined || rows.length < ROWS_PER_PAGE) return;
    afterId = last.id;
  }
}

function opened(sealed: string, open: (sealed: string) => string): string | null {
  try {
    return open(sealed);
  } catch {
    return null;
  }
}

/** Whether a body contains one of these normalised addresses: in plain text, JSON-escaped or form-encoded. */
function names(text: string, addresses: readonly string[]): boolean {
  const plain = text
    .replace(/\\u([0-9a-f]{4})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .normalize("NFC")
    .toLowerCase();
  const decoded = plain.replace(/(?:%[0-9a-f]{2})+/g, (bytes) =>
    Buffer.from(bytes.replaceAll("%", ""), "hex").toString("utf8").toLowerCase(),
  );
  return addresses.some((address) => plain.includes(address) || decoded.includes(address));
}
