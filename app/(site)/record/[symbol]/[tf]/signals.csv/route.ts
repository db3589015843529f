import { signalsDownloadRoute } from "@/app/(site)/_record/signals-download-route";

export const dynamic = "force-dynamic";

/** GET /record/{symbol}/{tf}/signals.csv: every resolved signal of the record, the newest first. */
export const GET = signalsDownloadRoute("csv");
