import { callingNetwork } from "@/lib/api/client-address";
import { parseQuery } from "@/lib/api/parse";
import { requireRecordIsOnAndQuota } from "@/lib/api/public-record";
import { documentRoute } from "@/lib/auth/document-route";
import { CSV_TYPE, exportAnswer } from "@/lib/auth/export-answer";
import { allowAnyone } from "@/lib/auth/guards";
import { isDemonstration } from "@/lib/signals/record/record-rule";
import { resolvedSignalsFile } from "@/lib/signals/record/resolved-signals-file";
import { PublicSignalsQuery } from "@/lib/wire/contracts/record";
import { AppError } from "@/lib/wire/errors";

const TYPE = { csv: CSV_TYPE, ndjson: "application/x-ndjson; charset=utf-8" } as const;
const Slot = PublicSignalsQuery.pick({ symbol: true, tf_code: true, model_v: true });

/**
 * The route handler of a download with a slot's resolved signals: those that the record counts, or those that were
 * entered later. The response is streamed; a process serves one at a time to each network.
 */
export function signalsDownloadRoute(
  format: keyof typeof TYPE,
  part: "signals" | "entered-later" = "signals",
) {
  return documentRoute<Awaited<ReturnType<typeof allowAnyone>>, { symbol: string; tf: string }>({
    name: `${part === "signals" ? "record" : part}.${format}`,
    guard: allowAnyone,
    make: async ({ request, params: { symbol, tf } }) => {
      await requireRecordIsOnAndQuota(request);
      const requested = new URL(request.url);
      requested.search = new URLSearchParams({
        symbol,
        tf_code: tf,
        ...(requested.searchParams.get("model_v") && {
          model_v: requested.searchParams.get("model_v") ?? "",
        }),
      }).toString();
      const slot = parseQuery(new Request(requested), Slot);
      // A blank segment of the path would match all slots.
      if (slot.symbol === undefined || slot.tf_code === undefined) throw new AppError("not_found");
      // On a simulated market no signal counts as committed in time, so one file contains all signals.
      const simulated = isDemonstration();
      if (simulated && part === "entered-later") throw new AppError("not_found");
      const pieces = await resolvedSignalsFile(
        { ...slot, entered_later: simulated ? undefined : part === "entered-later" },
        format,
      );
      return exportAnswer(`record/${callingNetwork(request.headers)}`, pieces, {
        type: TYPE[format],
        name: `${part}-${slot.symbol}-${slot.tf_code}${simulated ? "-simulated" : ""}.${format}`,
      });
    },
  });
}
