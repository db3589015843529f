import { sql } from "drizzle-orm";
import type { DatabaseHandle } from "@/db/client";
import { columns, type Row, text } from "./columns";
import { array } from "./parameters";
import { readSetting, writeSetting } from "./settings";

/** All columns with encrypted values. `key`, of the PostgreSQL type `type`, is the column in whose order a scan reads. */
export const ENCRYPTED_COLUMNS = {
  mails: { table: "mail_outbox", key: "id", type: "bigint", column: "secret_encrypted" },
  deliveries: { table: "payment_deliveries", key: "id", type: "bigint", column: "payload_encrypted" },
  sessions: { table: "sessions", key: "id", type: "uuid", column: "flash_encrypted" },
  webhookSecrets: { table: "webhook_endpoints", key: "id", type: "integer", column: "secret_encrypted" },
  formerWebhookSecrets: {
    table: "webhook_endpoints",
    key: "id",
    type: "integer",
    column: "former_secret_encrypted",
  },
  channelAddresses: { table: "channel_recipients", key: "id", type: "integer", column: "address_encrypted" },
  platformCustomers: { table: "platform_customers", key: "id", type: "integer", column: "buyer_encrypted" },
  signInLinks: { table: "sign_in_tokens", key: "token_hash", type: "text", column: "token_encrypted" },
  alertSecrets: {
    table: "alert_settings",
    key: "administrator_id",
    type: "integer",
    column: "webhook_secret_encrypted",
  },
  ledgerKey: { table: "ledger_keys", key: "id", type: "integer", column: "seed_encrypted" },
  serviceSecrets: { table: "service_secrets", key: "name", type: "text", column: "value_encrypted" },
  formerServiceSecrets: {
    table: "service_secrets",
    key: "name",
    type: "text",
    column: "former_encrypted",
  },
  secondFactors: {
    table: "administrators",
    key: "id",
    type: "integer",
    column: "totp_secret_encrypted",
  },
} as const;
export type EncryptedColumn = keyof typeof ENCRYPTED_COLUMNS;

const STEP = columns({
  id: text("id"),
  /** The encrypted value; null: there is none, or it begins with the current key's prefix. */
  sealed: text<string | null>("sealed"),
});

/**
 * The next `limit` rows of a table after a key (`after`; null: from the start), in key order, with the values of an
 * encrypted column. Values that begin with `prefix`, which are encrypted with the current key, are null.
 */
export async function listEncryptedValues(
  handle: DatabaseHandle,
  place: EncryptedColumn,
  { after, prefix, limit }: { after: string | null; prefix: string; limit: number },
): Promise<Row<typeof STEP>[]> {
  const { table, key, type, column } = ENCRYPTED_COLUMNS[place];
  const [id, value] = [sql.identifier(key), sql.identifier(column)];
  const from = after === null ? sql`true` : sql`${id} > ${after}::${sql.raw(type)}`;
  return STEP.all(
    handle,
    sql`
    select ${STEP.list}
      from (select ${id}::text as id, case when left(${value}, ${prefix.length}::int) <> ${prefix} then ${value} end as sealed
              from ${sql.identifier(table)} where ${from} order by ${id} limit ${limit}) step`,
  );
}

/** Replaces encrypted values (`from`) by new ones (`to`). A value that has changed meanwhile is kept. */
export async function replaceEncryptedValues(
  handle: DatabaseHandle,
  place: EncryptedColumn,
  changes: readonly { id: string; from: string; to: string }[],
): Promise<void> {
  const { table, key, type, column } = ENCRYPTED_COLUMNS[place];
  const [id, value] = [sql.identifier(key), sql.identifier(column)];
  const list = (name: "id" | "from" | "to") =>
    array(
      changes.map((change) => change[name]),
      "text",
    );
  await handle.execute(sql`
    update ${sql.identifier(table)} t set ${value} = c.after_value
      from unnest(${list("id")}, ${list("from")}, ${list("to")}) c (row_id, before_value, after_value)
     where t.${id} = c.row_id::${sql.raw(type)} and t.${value} = c.before_value`);
}

const SAMPLE = columns({ place: text<EncryptedColumn>("place"), sealed: text("sealed") });

/** The newest value of each of these encrypted columns that has one. */
export async function listNewestEncryptedValues(
  handle: DatabaseHandle,
  places: readonly EncryptedColumn[],
): Promise<Row<typeof SAMPLE>[]> {
  const newest = places.map((place) => {
    const { table, key, column } = ENCRYPTED_COLUMNS[place];
    const [id, value] = [sql.identifier(key), sql.identifier(column)];
    return sql`(select ${place}::text as place, ${value} as sealed
                  from ${sql.identifier(table)} where ${value} is not null order by ${id} desc limit 1)`;
  });
  return SAMPLE.all(handle, sql`select ${SAMPLE.list} from (${sql.join(newest, sql` union all `)}) sample`);
}

const SETTING = "encryption_key_in_use";

/** Result of the last complete pass over all stored values that re-encrypts them with the current encryption key. */
export interface ReencryptionState {
  /** Version of the encryption key that was current. */
  version: number;
  finishedAt: string;
  /** Number of values that were encrypted again. */
  nResealed: number;
  /** Number of values that no configured key decrypts. */
  nUnreadable: number;
}

/** Result of the last re-encryption of stored values; null: there was none yet. */
export async function readReencryptionState(handle: DatabaseHandle): Promise<ReencryptionState | null> {
  return readSetting<ReencryptionState>(handle, SETTING);
}

export async function writeReencryptionState(
  handle: DatabaseHandle,
  state: ReencryptionState,
): Promise<void> {
  await writeSetting(handle, SETTING, state);
}
