import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from "node:crypto";
import { env } from "@/lib/runtime/env";
import { processWide } from "@/lib/runtime/process-wide";
import { SECOND_MS } from "@/lib/time";

/** Ed25519 private keys in PKCS #8 are these bytes and the 32 of the seed (RFC 8410). */
const PKCS8 = Buffer.from("302e020100300506032b657004220420", "hex");
const ED25519 = Uint8Array.of(1);
const RAW_KEY_BYTES = 32;

interface SigningKey {
  /** What the ledger is called in its checkpoints. */
  origin: string;
  privateKey: KeyObject;
  /** The 32 bytes of the public key. */
  publicKey: Buffer;
  /** First four bytes of a hash of name and key, by which a reader finds the signature of a key. */
  keyId: Buffer;
}

/** The key of this ledger, made from LEDGER_KEY, or from the oldest encryption key where that is not set. */
export function signingKey(): SigningKey {
  return processWide("ledger-key", () => {
    const { ledgerKey, encryptionKeys, baseUrl } = env();
    // The oldest: a further encryption key in front of it must not change who signs.
    const oldest = encryptionKeys.reduce((first, key) => (key.version < first.version ? key : first));
    const seed = createHash("sha256")
      .update(`ledger:${ledgerKey ?? oldest.secret}`)
      .digest();
    const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: "der", type: "pkcs8" });
    const publicKey = createPublicKey(privateKey)
      .export({ format: "der", type: "spki" })
      .subarray(-RAW_KEY_BYTES);
    const origin = `${new URL(baseUrl).host}/ledger`;
    return { origin, privateKey, publicKey, keyId: keyIdOf(origin, publicKey) };
  });
}

const keyIdOf = (name: string, publicKey: Uint8Array): Buffer =>
  createHash("sha256").update(`${name}\n`).update(ED25519).update(publicKey).digest().subarray(0, 4);

/** The key in the form in which checkers of signed notes take it. */
export function verifierKey({ origin, publicKey, keyId }: SigningKey): string {
  return `${origin}+${keyId.toString("hex")}+${Buffer.concat([ED25519, publicKey]).toString("base64")}`;
}

/**
 * A checkpoint of the ledger as a signed note.
 *
 * @see https://c2sp.org/tlog-checkpoint and https://c2sp.org/signed-note
 */
export function signCheckpoint(size: number, root: Uint8Array, key: SigningKey = signingKey()): string {
  const text = `${key.origin}\n${size}\n${Buffer.from(root).toString("base64")}\n`;
  const signature = Buffer.concat([key.keyId, sign(null, Buffer.from(text), key.privateKey)]);
  return `${text}\n— ${key.origin} ${signature.toString("base64")}\n`;
}

/** What a receipt says of an answer besides its body. */
export interface Receipt {
  /** Path that was asked, without its query. */
  path: string;
  /** Number of the newest signal that the body takes into account. */
  seq: number;
  at: Date;
}

/**
 * The header `Signal-Receipt` of a body: a dictionary (RFC 8941) with the signature of the ledger's key over six lines,
 * `signal-receipt`, the ledger's name, path, number, epoch seconds and SHA-256 of the body in hexadecimal digits. No
 * checkpoint begins like that.
 */
export function signReceipt(
  { path, seq, at }: Receipt,
  body: Uint8Array,
  key: SigningKey = signingKey(),
): string {
  const seconds = Math.floor(at.getTime() / SECOND_MS);
  const hash = createHash("sha256").update(body).digest("hex");
  const text = `signal-receipt\n${key.origin}\n${path}\n${seq}\n${seconds}\n${hash}\n`;
  const signature = sign(null, Buffer.from(text), key.privateKey).toString("base64");
  return `path="${path}", seq=${seq}, at=${seconds}, key="${key.keyId.toString("hex")}", sig=:${signature}:`;
}
