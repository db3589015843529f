import type { Declaration } from "@/lib/api/openapi/operation";
import { StreamEvents, StreamQuery } from "@/lib/wire/contracts/stream";

export const GET: Declaration = {
  id: "streamSignals",
  tag: "Signals",
  summary: "Signals in scope as they are committed, as server-sent events",
  description:
    "`id` of an event is the number of its signal, in the order of commit. `Last-Event-ID`, or `after`, replays up to 1,000 signals in scope that were missed; where there are more, an event `gap` comes first and says among which numbers. If the id's signal is another one today, for example after a restore of the service, the stream starts with such a `gap` up to the newest number and continues after it. Events are `signal` (the fields of Signal and `pred_id`), `model` (the champion of a slot changed), `status` (how the service is, at the beginning and at each change) and `end` (the key works no more, with the code of its 401). A comment comes every 15 seconds. Signals of a slot that the operator pauses are not sent, neither while the pause lasts nor later.",
  access: "key",
  query: StreamQuery,
  ok: {
    status: 200,
    schema: StreamEvents.signal,
    description: "Events until the client, the key or the service ends",
  },
  events: StreamEvents,
  headers: ["Signal-Seq"],
  errors: ["not_in_plan", "too_many_open"],
};
