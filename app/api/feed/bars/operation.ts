import type { OperationDeclaration } from "@/lib/api/openapi/operation";
import { PushBarsAnswer, PushBarsBody } from "@/lib/wire/contracts/feed";

export const POST: OperationDeclaration = {
  id: "pushBars",
  tag: "Ingest",
  summary: "Send closed bars of a MetaTrader chart, with times of its server's clock",
  description:
    "Up to 500 bars. The response contains the newest stored bar of the chart; a call without bars only reads it. Bars that are not closed are ignored. Repeating a call changes nothing. A time that cannot be the server's is refused.",
  access: "feed",
  body: {
    schema: PushBarsBody,
    example: {
      symbol: "EURUSDm",
      timeframe: "H1",
      clock: "new_york",
      server_time: "2026.11.20 13:00:07",
      bars: [[1_795_176_000, 1.084, 1.0855, 1.0832, 1.0842, 1234]],
      also: ["H4"],
    },
  },
  ok: {
    status: 200,
    schema: PushBarsAnswer,
    description: "The stored bars, and the newest one of the chart",
  },
};
