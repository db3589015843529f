import { env } from "@/lib/runtime/env";
import { ledgerKey } from "@/lib/signals/ledger/read-ledger";
import { isRecordPublic } from "@/lib/signals/record/is-public";
import { LedgerKey } from "@/lib/wire/contracts/record";

export const dynamic = "force-dynamic";

/** GET /.well-known/signal-ledger: the public key that verifies checkpoints of the ledger. */
export async function GET(): Promise<Response> {
  if (!(await isRecordPublic())) return new Response("The public record is switched off.\n", { status: 404 });
  const key = await ledgerKey(env().baseUrl);
  if (key === null) return new Response("The ledger has no key yet.\n", { status: 404 });
  return Response.json(LedgerKey.parse(key), {
    headers: { "Access-Control-Allow-Origin": "*", "Cache-Control": "public, max-age=300" },
  });
}
