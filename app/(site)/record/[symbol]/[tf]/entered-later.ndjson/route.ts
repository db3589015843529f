import { signalsDownloadRoute } from "@/app/(site)/_record/signals-download-route";

export const dynamic = "force-dynamic";

/** GET /record/{symbol}/{tf}/entered-later.ndjson: the slot's signals that were entered later, the newest first. */
export const GET = signalsDownloadRoute("ndjson", "entered-later");
