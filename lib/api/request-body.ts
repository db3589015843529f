import { withDeadline } from "@/lib/runtime/unavailable";
import { AppError } from "@/lib/wire/errors";
import { formatSizeLimit, KB, MB } from "@/lib/wire/size";
import { isBodyCutOff, onDisconnect } from "./connection";

export const MAX_BODY_BYTES = 64 * KB;
export const MAX_INGEST_BYTES = 8 * MB;
const BODY_DEADLINE_MS = 10_000;

/**
 * Reads the raw body. Throws 415 if it is compressed, 413 once it exceeds `maxBytes`, 408 after ten seconds, and 400 if
 * it ends early.
 */
export async function readBytes(request: Request, maxBytes = MAX_BODY_BYTES): Promise<Uint8Array> {
  requireNoEncoding(request);
  return readBytesAsSent(request, maxBytes);
}

/** Throws 415 if the body is compressed or encoded in another way. */
export function requireNoEncoding(request: Request): void {
  const encoding = request.headers.get("content-encoding");
  if (encoding && encoding.trim().toLowerCase() !== "identity") throw new AppError("unsupported_encoding");
}

/**
 * Like `readBytes`, but accepts a compressed body and returns it as it was sent, because a signature covers these
 * bytes.
 */
export async function readBytesAsSent(request: Request, maxBytes = MAX_BODY_BYTES): Promise<Uint8Array> {
  const declared = request.headers.get("content-length");
  if (declared !== null && Number(declared) > maxBytes) throw tooLarge(maxBytes);
  try {
    // The HTTP parser enforces a declared length, so the whole body can be read at once.
    if (declared !== null) return new Uint8Array(await readInTime(request, request.arrayBuffer()));
    const bytes = await readInTime(request, collect(request, maxBytes));
    if (isBodyCutOff(request)) throw incomplete();
    return bytes;
  } catch (error) {
    if (error instanceof AppError) throw error;
    if (error instanceof Error && error.name === "DeadlineError") throw slow();
    throw incomplete();
  }
}

/**
 * Waits for `body`, but not longer than ten seconds and not after the client has half-closed its connection. Node
 * reports such an end itself, except for a request with `Upgrade`.
 */
async function readInTime<T>(request: Request, body: Promise<T>): Promise<T> {
  let forget = () => {};
  const cutOff = new Promise<never>((_, reject) => {
    forget = onDisconnect(request, () => {
      if (isBodyCutOff(request)) reject(incomplete());
    });
  });
  try {
    return await withDeadline(Promise.race([body, cutOff]), BODY_DEADLINE_MS);
  } finally {
    forget();
  }
}

async function collect(request: Request, maxBytes: number): Promise<Uint8Array> {
  if (!request.body) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let total = 0;
  const reader = request.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    total += value.byteLength;
    if (total > maxBytes) {
      // The server discards the rest after the answer.
      reader.releaseLock();
      throw tooLarge(maxBytes);
    }
    chunks.push(value);
  }
  return Buffer.concat(chunks);
}

/**
 * The body as text. A body that is not UTF-8 is decoded as Windows-1252, which some trading clients send. Throws like
 * `readBytes`.
 */
export async function readText(request: Request, maxBytes = MAX_BODY_BYTES): Promise<string> {
  const bytes = await readBytes(request, maxBytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

function tooLarge(maxBytes: number): AppError {
  return new AppError("body_too_large", {
    detail: `The body is larger than the ${formatSizeLimit(maxBytes)} that this address accepts.`,
    // The rest of the body is not read, so the connection cannot be reused.
    headers: { Connection: "close" },
  });
}

function incomplete(): AppError {
  return new AppError("bad_request", { detail: "The body is incomplete." });
}

function slow(): AppError {
  return new AppError("body_timeout", { headers: { Connection: "close" } });
}
