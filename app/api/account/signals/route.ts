import { jsonAnswer } from "@/lib/api/answer";
import { requireApiKey } from "@/lib/api/require-api-key";
import { requireQuota } from "@/lib/api/require-quota";
import { route } from "@/lib/api/route";
import { getAccountSignalsBody } from "@/lib/signals/account-signals";
import { AccountSignalsQuery } from "@/lib/wire/contracts/signals";
import { parseQuery } from "@/lib/wire/params";

/** GET /api/account/signals: the signals of the last days that the key may see, newest first. */
export const GET = route(async (request) => {
  const key = await requireApiKey(request);
  await requireQuota(request, key, "read");
  const { days, limit, include_no_trade: includeNoTrade } = parseQuery(request, AccountSignalsQuery);

  const { scope, versions, seenAt } = key;
  const wanted = { scope, days, limit, includeNoTrade, version: versions.signals };
  return jsonAnswer(await getAccountSignalsBody(wanted, seenAt));
});
