import { z } from "zod";
import { HEALTH_STATES } from "@/lib/vocabulary";
import { SymbolCode, TimeframeCode } from "./shared";
import { ScanItem } from "./signals";

/** The data of each server-sent event of the stream, by the event's name. */
export const StreamEvents = {
  signal: z.strictObject({ ...ScanItem.shape, pred_id: z.int() }).meta({ id: "StreamedSignal" }),
  gap: z
    .strictObject({
      from: z
        .int()
        .meta({ description: "First number of the range in which missed signals are not replayed" }),
      to: z.int().meta({ description: "Last number of that range" }),
    })
    .meta({ id: "StreamGap" }),
  model: z
    .strictObject({ symbol: SymbolCode, timeframe: TimeframeCode, model_v: z.string() })
    .meta({ id: "StreamedModel" }),
  status: z
    .strictObject({ status: z.enum(HEALTH_STATES), reasons: z.array(z.string()).nullable() })
    .meta({ id: "StreamedStatus" }),
  end: z
    .strictObject({ code: z.string().meta({ example: "key_revoked" }), detail: z.string() })
    .meta({ id: "StreamEnd" }),
} as const;

export type StreamEventName = keyof typeof StreamEvents;

const seq = z.string().regex(/^[0-9]{1,15}$/, "must be the number of a signal");

export const StreamQuery = z.object({
  after: seq
    .transform(Number)
    .meta({ wire: { type: "integer", minimum: 0 } })
    .optional(),
});

/** The value of the header `Last-Event-ID`: the number of a signal. */
export const LastEventId = seq.transform(Number);
