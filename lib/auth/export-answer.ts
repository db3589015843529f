import { processWide } from "@/lib/runtime/process-wide";
import { streamText } from "@/lib/runtime/stream-text";
import { AppError } from "@/lib/wire/errors";

/** Retry-After, in seconds, while another download of the owner runs. */
const RETRY_SECONDS = 10;

/**
 * A streamed download, one at a time per owner in this process. Throws rate_limited while another one of the owner is
 * in progress.
 */
export async function exportAnswer(
  owner: string,
  pieces: AsyncGenerator<string, void>,
  file: { type: string; name: string },
): Promise<Response> {
  const owners = exporting();
  if (owners.has(owner))
    throw new AppError("rate_limited", {
      detail: "An export is already running. Wait for it, or cancel it, and try again.",
      headers: { "Retry-After": String(RETRY_SECONDS) },
    });
  owners.add(owner);
  return new Response(
    streamText(pieces, () => owners.delete(owner)),
    {
      headers: { "Content-Type": file.type, "Content-Disposition": `attachment; filename="${file.name}"` },
    },
  );
}

const exporting = () => processWide("exports-in-progress", () => new Set<string>());

export const CSV_TYPE = "text/csv; charset=utf-8; header=present";
