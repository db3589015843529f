import type { OperationDeclaration } from "@/lib/api/openapi/operation";
import { StreamEvents, StreamQuery } from "@/lib/wire/contracts/stream";

export const GET: OperationDeclaration = {
  id: "streamSignals",
  tag: "Signals",
  summary: "Signals in the key's scope as server-sent events",
  description:
    "The `id` of an event is the number of its signal, in the order of commits. `Last-Event-ID`, or `after`, replays up to 1,000 missed signals in scope. If more were missed, an event `gap` comes first, with the numbers that are not replayed. If the service no longer knows the signal of that id, for example after a restore, the stream starts with a `gap` up to the newest number and continues after it. Events are `signal` (the fields of Signal and `pred_id`), `model` (the champion of a slot changed), `status` (the state of the service, at the beginning and at each change) and `end` (the key no longer works, with the code of its 401). A comment is sent every 15 seconds. Signals of a slot that the operator has paused are not sent, not even after the pause.",
  access: "key",
  query: StreamQuery,
  ok: {
    status: 200,
    schema: StreamEvents.signal,
    description: "Events until the client disconnects, the key stops working or the service stops",
  },
  events: StreamEvents,
  headers: ["Signal-Seq"],
  errors: ["not_in_plan", "too_many_open"],
};
