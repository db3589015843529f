/** One server-sent event. */
export interface StreamedEvent {
  id: number | null;
  event: string;
  // Events have several shapes.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  data: any;
}

export interface EventStream {
  events: StreamedEvent[];
  /** The last id of the stream, which a client sends to resume. */
  lastId(): string;
  /** Resolves when the stream has ended for any reason. */
  ended: Promise<void>;
  close(): void;
}

/** Reads server-sent events from a response as they arrive. */
export function readEventStream(
  response: Response,
  heard: (event: StreamedEvent) => void = () => undefined,
): EventStream {
  const events: StreamedEvent[] = [];
  const reader = response.body?.getReader();
  if (!reader) throw new Error("no body");
  let lastId = "";
  let rest = "";
  const take = (block: string) => {
    const field = (name: string) =>
      block
        .split("\n")
        .find((line) => line.startsWith(`${name}: `))
        ?.slice(name.length + 2);
    const id = field("id");
    if (id !== undefined) lastId = id;
    const data = field("data");
    if (data === undefined) return;
    const event = {
      id: id === undefined ? null : Number(id),
      event: field("event") ?? "message",
      data: JSON.parse(data),
    };
    events.push(event);
    heard(event);
  };
  const decoder = new TextDecoder();
  const ended = (async () => {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const blocks = (rest + decoder.decode(value, { stream: true })).split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) take(block);
    }
  })().catch(() => undefined);
  return { events, lastId: () => lastId, ended, close: () => void reader.cancel().catch(() => undefined) };
}
