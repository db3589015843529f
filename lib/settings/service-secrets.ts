import type { Database, DatabaseHandle } from "@/db/client";
import {
  deleteFormerSecret,
  deleteServiceSecret,
  listServiceSecrets,
  lockServiceSecret,
  type ServiceSecretRow,
  writeServiceSecret,
} from "@/db/queries/service-secrets";
import { lockSettings } from "@/db/queries/settings";
import { type Actor, recordAudit } from "@/lib/runtime/audit";
import { env } from "@/lib/runtime/env";
import { encrypt } from "@/lib/runtime/secrets";
import { decryptStoredSecret } from "@/lib/runtime/service-secrets";
import { settingsCache } from "@/lib/runtime/settings-cache";
import { SERVICE_SECRET_NAMES, type ServiceSecretName, serviceSecretProblem } from "@/lib/runtime/variables";
import { AppError, invalidField } from "@/lib/wire/errors";

/**
 * Whether other systems sign with this secret. Such a secret must be long enough not to be guessed, and while it is
 * rotated the previous one stays accepted.
 */
const isSigning = (name: ServiceSecretName): boolean => name.endsWith("_WEBHOOK_SECRET");

const MIN_SIGNING_SECRET_LENGTH = 16;
const MOST = 1_000;

/** The visible state of a secret. */
export interface SecretState {
  name: ServiceSecretName;
  /** Whether its variable is set, which takes precedence. */
  isSetByVariable: boolean;
  /**
   * When and by which administrator a secret was entered, whether an encryption key in use decrypts it, what the pages
   * show of it (`hint`, empty: nothing), and whether its previous one is still accepted; null: no secret is stored.
   */
  stored: { at: Date; by: string | null; isReadable: boolean; hint: string; hasFormer: boolean } | null;
}

/** Every secret of an external service that can be entered, without its value. */
export async function readSecretStates(
  handle: DatabaseHandle,
): Promise<ReadonlyMap<ServiceSecretName, SecretState>> {
  const rows = await listServiceSecrets(handle);
  return new Map(
    SERVICE_SECRET_NAMES.map((name) => {
      const row = rows.find((stored) => stored.name === name);
      const isSetByVariable = env().serviceSecrets[name].length > 0;
      return [name, { name, isSetByVariable, stored: row ? storedState(name, row) : null }];
    }),
  );
}

const storedState = (
  name: ServiceSecretName,
  { valueEncrypted, formerEncrypted, storedAt, storedBy }: ServiceSecretRow,
): SecretState["stored"] => {
  const secret = decryptStoredSecret(name, valueEncrypted);
  return {
    at: storedAt,
    by: storedBy,
    isReadable: secret !== null,
    hint: secret === null ? "" : hintOf(name, secret),
    hasFormer: formerEncrypted !== null,
  };
};

/** What may be shown of a secret: the host and port of an address, otherwise the last two characters. */
function hintOf(name: ServiceSecretName, secret: string): string {
  if (name !== "SMTP_URL") return `ends in …${secret.slice(-2)}`;
  if (!URL.canParse(secret)) return "";
  const { host, pathname, search, hash } = new URL(secret);
  // An unescaped / ? or # in a password ends the host early: user and password would be read as host and port.
  return `${pathname}${search}${hash}`.includes("@") ? "" : `for ${host}`;
}

/** Returns the name if it is that of a known secret. Throws not_found otherwise. */
export function requireSecretName(name: string): ServiceSecretName {
  const known = SERVICE_SECRET_NAMES.find((each) => each === name);
  if (known === undefined) throw new AppError("not_found", { detail: "There is no secret of this name." });
  return known;
}

/**
 * Stores a secret of an external service, encrypted. A replaced signing secret stays accepted until it is ended. Throws
 * validation_failed for an invalid secret, whose text appears in no error, log or audit row, and conflict for the secret
 * that is stored already.
 */
export async function storeServiceSecret(
  database: Database,
  {
    name,
    value,
    administratorId,
  }: { name: ServiceSecretName; value: string; administratorId: number | null },
  actor: Actor,
): Promise<"stored" | "replaced"> {
  const secret = value.trim();
  const problem = problemOf(name, secret);
  if (problem !== null) throw invalidField("body", "secret", problem);
  const done = await database.transaction(async (tx) => {
    // The row may not exist yet, so the lock of all settings serialises two owners.
    await lockSettings(tx);
    const before = await lockServiceSecret(tx, name);
    if (before !== null && decryptStoredSecret(name, before.valueEncrypted) === secret)
      throw new AppError("conflict", { detail: "This secret is already stored." });
    const keepsFormer = before !== null && isSigning(name);
    await writeServiceSecret(tx, { name, valueEncrypted: encrypt(secret), administratorId, keepsFormer });
    await recordAudit(tx, {
      actor,
      action: before === null ? "secret.store" : "secret.replace",
      target: `secret/${name}`,
      details: keepsFormer ? { former: "accepted" } : {},
    });
    return before === null ? "stored" : "replaced";
  });
  await settingsCache().readAgain();
  return done;
}

function problemOf(name: ServiceSecretName, secret: string): string | null {
  if (secret === "") return "must not be blank";
  if (secret.length > MOST) return `must have at most ${MOST} characters`;
  if (/\p{Cc}/u.test(secret)) return "must be one line of text";
  if (isSigning(name) && secret.length < MIN_SIGNING_SECRET_LENGTH)
    return `must have at least ${MIN_SIGNING_SECRET_LENGTH} characters`;
  return serviceSecretProblem(name, secret);
}

/** Ends the previous secret: signatures with it are refused from now on. Throws conflict if there is none. */
export async function endFormerServiceSecret(
  database: Database,
  name: ServiceSecretName,
  actor: Actor,
): Promise<void> {
  await database.transaction(async (tx) => {
    if (!(await deleteFormerSecret(tx, name)))
      throw new AppError("conflict", { detail: "There is no previous secret any more." });
    await recordAudit(tx, { actor, action: "secret.end_former", target: `secret/${name}` });
  });
  await settingsCache().readAgain();
}

/** Removes a stored secret and its previous one. Throws conflict if none is stored. */
export async function removeServiceSecret(
  database: Database,
  name: ServiceSecretName,
  actor: Actor,
): Promise<void> {
  await database.transaction(async (tx) => {
    if (!(await deleteServiceSecret(tx, name)))
      throw new AppError("conflict", { detail: "No secret is stored." });
    await recordAudit(tx, { actor, action: "secret.remove", target: `secret/${name}` });
  });
  await settingsCache().readAgain();
}
