import { withDeadline } from "@/lib/runtime/unavailable";
import { AppError } from "@/lib/wire/errors";

export const MAX_BODY_BYTES = 64 * 1024;
export const MAX_INGEST_BYTES = 8 * 1024 * 1024;
const BODY_DEADLINE_MS = 10_000;

/** The raw body, refused while it streams once it passes `maxBytes` (413) or comes too slowly (408). */
export async function readBytes(request: Request, maxBytes = MAX_BODY_BYTES): Promise<Uint8Array> {
  requireNoEncoding(request);
  return readReceivedBytes(request, maxBytes);
}

/** Throws 415 when the body is compressed. */
export function requireNoEncoding(request: Request): void {
  const encoding = request.headers.get("content-encoding");
  if (encoding && encoding.trim().toLowerCase() !== "identity") throw new AppError("unsupported_encoding");
}

/** The same whatever the body's encoding: for a signature, which is over the bytes as they were sent. */
export async function readReceivedBytes(request: Request, maxBytes = MAX_BODY_BYTES): Promise<Uint8Array> {
  const declared = request.headers.get("content-length");
  if (declared !== null && Number(declared) > maxBytes) throw tooLarge(maxBytes);
  try {
    // A declared length is enforced by the HTTP parser, so the whole body can be taken at once.
    if (declared !== null) return new Uint8Array(await withDeadline(request.arrayBuffer(), BODY_DEADLINE_MS));
    return await withDeadline(collect(request, maxBytes), BODY_DEADLINE_MS);
  } catch (error) {
    if (error instanceof AppError) throw error;
    if (error instanceof Error && error.name === "DeadlineError") throw slow();
    throw new AppError("bad_request", { detail: "The body did not arrive whole." });
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
      // The server discards the rest once the answer is sent.
      reader.releaseLock();
      throw tooLarge(maxBytes);
    }
    chunks.push(value);
  }
  return Buffer.concat(chunks);
}

/** The body as text. Bytes that are not UTF-8 are read as Windows-1252, the code page of most trading terminals. */
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
    detail: `The body is larger than the ${Math.floor(maxBytes / 1024)} KiB that this address accepts.`,
    // What is still on its way is not read: the connection cannot be used again.
    headers: { Connection: "close" },
  });
}

function slow(): AppError {
  return new AppError("body_timeout", { headers: { Connection: "close" } });
}
