import { jsonAnswer } from "@/lib/api/answer";
import { cachedBody } from "@/lib/api/cached-body";
import { delayHeader } from "@/lib/api/delay-header";
import { parseQuery } from "@/lib/api/parse";
import { requireApiKey } from "@/lib/api/require-api-key";
import { requireQuota } from "@/lib/api/require-quota";
import { route } from "@/lib/api/route";
import { listAccountSignals } from "@/lib/signals/account-signals";
import { AccountSignals, AccountSignalsQuery } from "@/lib/wire/contracts/signals";

/** GET /api/account/signals: the signals of the last days that the key may see, newest first. */
export const GET = route(async (request) => {
  const key = await requireApiKey(request, { tryOut: true });
  await requireQuota(request, key, "read");
  const { days, limit, include_no_trade: includeNoTrade } = parseQuery(request, AccountSignalsQuery);

  const { scope, versions, seenAt } = key;
  const { body } = await cachedBody(
    AccountSignals,
    {
      name: "account-signals",
      key: `${scope.id}|${days}|${limit}|${includeNoTrade}`,
      version: versions.signals,
      now: seenAt,
    },
    () => listAccountSignals({ scope, days, limit, includeNoTrade }, seenAt),
  );
  return jsonAnswer(body, { headers: delayHeader(scope) });
});
