import {
  createHash,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  randomBytes,
  sign,
  verify,
} from "node:crypto";
import { type DatabaseHandle, db } from "@/db/client";
import {
  findNewestCheckpoint,
  insertLedgerKey,
  type LedgerKeyRow,
  listLedgerKeys,
} from "@/db/queries/ledger";
import { env } from "@/lib/runtime/env";
import { memo } from "@/lib/runtime/memo";
import { decrypt, encrypt } from "@/lib/runtime/secrets";
import { MINUTE_MS, SECOND_MS } from "@/lib/time";

/** Prefix of an Ed25519 private key in PKCS #8, before the 32 bytes of the seed (RFC 8410). */
const PKCS8 = Buffer.from("302e020100300506032b657004220420", "hex");
const ED25519 = Uint8Array.of(1);
const RAW_KEY_BYTES = 32;
const SEED_BYTES = 32;
const KEY_ID_BYTES = 4;

export interface SigningKey {
  /** The ledger's name in its checkpoints. */
  origin: string;
  privateKey: KeyObject;
  /** The 32 bytes of the public key. */
  publicKey: Buffer;
  /** First four bytes of a hash of name and key, by which a verifier finds a key's signature. */
  keyId: Buffer;
}

/**
 * The ledger's signing key, cached for a minute, for receipts and for the answer with the public key. Null: the key
 * that signed the ledger is not available.
 */
export const signingKey = memo("ledger-key", { ttlMs: MINUTE_MS }, () => loadOrCreateSigningKey(db()));

/**
 * The newest signing key that may sign: the first key, or one whose hand-over is in the ledger. If none is stored,
 * first stores one encrypted: the key of earlier releases if there is a checkpoint or LEDGER_KEY is set, else a random
 * one. Null: the key that signed the ledger is not available, so nothing can be signed.
 */
export async function loadOrCreateSigningKey(handle: DatabaseHandle): Promise<SigningKey | null> {
  const found = await newestKey(handle);
  if (found !== null) return found;
  const newest = await findNewestCheckpoint(handle);
  const former = formerSeed();
  if (newest !== null && !isSignedBy(newest.note, keyOf(former))) return null;
  const seed = newest !== null || env().ledgerKey !== null ? former : randomBytes(SEED_BYTES);
  await insertLedgerKey(handle, { id: 1, seedEncrypted: encrypt(seed.toString("hex")) });
  // Another process may have stored a key first.
  return newestKey(handle);
}

/** Whether a key of this ledger signed a checkpoint. */
export async function isOwnCheckpoint(handle: DatabaseHandle, note: string): Promise<boolean> {
  return (await listLedgerKeys(handle)).some((row) => isSignedBy(note, decryptSigningKey(row)));
}

async function newestKey(handle: DatabaseHandle): Promise<SigningKey | null> {
  const stored = (await listLedgerKeys(handle)).findLast(({ isEntered }) => isEntered);
  return stored === undefined ? null : decryptSigningKey(stored);
}

/** Decrypts a stored signing key. */
export const decryptSigningKey = ({ seedEncrypted }: LedgerKeyRow): SigningKey =>
  keyOf(Buffer.from(decrypt(seedEncrypted), "hex"));

/**
 * Creates the ledger's next signing key and returns its id. The key signs as soon as a hand-over, signed with the
 * present key, is in the ledger. Throws if the present key is not available, and while the last hand-over is not in the
 * ledger.
 */
export async function createNextSigningKey(handle: DatabaseHandle): Promise<number> {
  await loadOrCreateSigningKey(handle);
  const last = (await listLedgerKeys(handle)).at(-1);
  if (last === undefined) throw new Error("the key that signed the ledger is not available");
  if (!last.isEntered) throw new Error("the last hand-over is not in the ledger yet");
  const seedEncrypted = encrypt(randomBytes(SEED_BYTES).toString("hex"));
  await insertLedgerKey(handle, { id: last.id + 1, seedEncrypted });
  return last.id + 1;
}

/** Seed of the key that releases up to 1.2.0 used, from LEDGER_KEY or else from the oldest encryption key. */
function formerSeed(): Buffer {
  const { ledgerKey, encryptionKeys } = env();
  const oldest = encryptionKeys.reduce((first, key) => (key.version < first.version ? key : first));
  return createHash("sha256")
    .update(`ledger:${ledgerKey ?? oldest.secret}`)
    .digest();
}

function keyOf(seed: Buffer): SigningKey {
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: "der", type: "pkcs8" });
  const publicKey = createPublicKey(privateKey)
    .export({ format: "der", type: "spki" })
    .subarray(-RAW_KEY_BYTES);
  const origin = `${new URL(env().baseUrl).host}/ledger`;
  return { origin, privateKey, publicKey, keyId: keyIdOf(origin, publicKey) };
}

/** Whether a key signed a checkpoint, whatever name the ledger had then. */
export function isSignedBy(note: string, { privateKey }: SigningKey): boolean {
  const end = note.indexOf("\n\n") + 1;
  const signature = Buffer.from(note.slice(end).trim().split(" ").at(-1) ?? "", "base64");
  const text = Buffer.from(note.slice(0, end));
  return verify(null, text, createPublicKey(privateKey), signature.subarray(KEY_ID_BYTES));
}

const keyIdOf = (name: string, publicKey: Uint8Array): Buffer =>
  createHash("sha256")
    .update(`${name}\n`)
    .update(ED25519)
    .update(publicKey)
    .digest()
    .subarray(0, KEY_ID_BYTES);

/** The public key in the form that verifiers of signed notes take. */
export function verifierKey({ origin, publicKey, keyId }: SigningKey): string {
  return `${origin}+${keyId.toString("hex")}+${Buffer.concat([ED25519, publicKey]).toString("base64")}`;
}

/**
 * A checkpoint of the ledger as a signed note.
 *
 * @see https://c2sp.org/tlog-checkpoint and https://c2sp.org/signed-note
 */
export function signCheckpoint(size: number, root: Uint8Array, key: SigningKey): string {
  const text = `${key.origin}\n${size}\n${Buffer.from(root).toString("base64")}\n`;
  const signature = Buffer.concat([key.keyId, sign(null, Buffer.from(text), key.privateKey)]);
  return `${text}\n— ${key.origin} ${signature.toString("base64")}\n`;
}

/** What a receipt states about an answer in addition to the hash of its body. */
export interface Receipt {
  /** Path of the request, without its query. */
  path: string;
  /** The answer covers the signals up to this sequence number, even if it leaves some out. */
  seq: number;
  at: Date;
}

/**
 * The value of the header `Signal-Receipt`: a dictionary (RFC 8941) with the ledger key's signature over six lines:
 * `signal-receipt`, the ledger's name, path, sequence number, epoch seconds, and SHA-256 of the body in hexadecimal.
 * The first line keeps a receipt from being taken for a checkpoint.
 */
export function signReceipt({ path, seq, at }: Receipt, body: Uint8Array, key: SigningKey): string {
  const seconds = Math.floor(at.getTime() / SECOND_MS);
  const hash = createHash("sha256").update(body).digest("hex");
  const text = `signal-receipt\n${key.origin}\n${path}\n${seq}\n${seconds}\n${hash}\n`;
  const signature = sign(null, Buffer.from(text), key.privateKey).toString("base64");
  return `path="${path}", seq=${seq}, at=${seconds}, key="${key.keyId.toString("hex")}", sig=:${signature}:`;
}
