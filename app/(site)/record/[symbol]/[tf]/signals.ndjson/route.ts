import { signalsDownloadRoute } from "@/app/(site)/_record/signals-download-route";

export const dynamic = "force-dynamic";

/** GET /record/{symbol}/{tf}/signals.ndjson: every resolved signal of the record, the newest first. */
export const GET = signalsDownloadRoute("ndjson");
