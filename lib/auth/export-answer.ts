import { takePlace } from "@/lib/runtime/places";
import { streamText } from "@/lib/runtime/stream-text";
import { AppError } from "@/lib/wire/errors";

/** Seconds after which it is worth asking again. */
const RETRY_SECONDS = 10;

/**
 * A download that is written while it is read, one at a time for its owner. Throws rate_limited while another one of the
 * same owner is under way at this port.
 */
export async function exportAnswer(
  owner: string,
  pieces: AsyncGenerator<string, void>,
  file: { type: string; name: string },
): Promise<Response> {
  const giveBack = await takePlace(`export:${owner}`, 1);
  if (giveBack === null)
    throw new AppError("rate_limited", {
      detail: "An export is under way already. Let it end, or stop it, and try again.",
      headers: { "Retry-After": String(RETRY_SECONDS) },
    });
  return new Response(streamText(pieces, giveBack), {
    headers: { "Content-Type": file.type, "Content-Disposition": `attachment; filename="${file.name}"` },
  });
}

export const CSV_TYPE = "text/csv; charset=utf-8; header=present";
