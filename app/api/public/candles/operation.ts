import type { OperationDeclaration } from "@/lib/api/openapi/operation";
import { PublicCandles, PublicCandlesQuery } from "@/lib/wire/contracts/record";

export const GET: OperationDeclaration = {
  id: "listPublicCandles",
  tag: "Record",
  summary: "The candles behind the outcomes",
  description:
    "Settled candles that opened from `from` to `to`, both inclusive, at most 5,000. If the operator's licence does not allow publishing them, the response is 404 `candles_off`.",
  access: "anyone",
  query: PublicCandlesQuery,
  needs: { symbol: "EURUSD", tf_code: "H1" },
  ok: { status: 200, schema: PublicCandles, description: "Candles, oldest first" },
  conditional: true,
  errors: ["not_found", "record_off", "candles_off"],
};
