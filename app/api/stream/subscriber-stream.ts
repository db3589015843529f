import type { z } from "zod";
import type { ApiKey } from "@/lib/access/api-key";
import { coveringPause } from "@/lib/access/pauses";
import { scopeIncludes } from "@/lib/access/plans";
import { serialiseBody } from "@/lib/api/answer";
import { changeHub, type OpenRequest } from "@/lib/api/watch/change-hub";
import { EventStream, encodeEvents } from "@/lib/api/watch/event-stream";
import { type HealthSummary, healthStatusWatcher } from "@/lib/health/health-status-watcher";
import { readHealth } from "@/lib/health/read-health";
import { championChangeLog } from "@/lib/models/champion-changes";
import { errorFacts, log } from "@/lib/runtime/log";
import { windowCache } from "@/lib/runtime/window-cache";
import { type MissedSignals, signalReplayCache } from "@/lib/signals/committed-signals";
import { readSignalSnapshot } from "@/lib/signals/scan";
import { signalFetchBuffer } from "@/lib/subscribers/signal-fetches";
import { SECOND_MS } from "@/lib/time";
import { type StreamEventName, StreamEvents } from "@/lib/wire/contracts/stream";
import type { AppError } from "@/lib/wire/errors";
import { toScanItem } from "@/lib/wire/signal-item";
import { encodeEventId } from "./event-id";

/** Number of events written at once, so that little unsent data of a slow client is in memory. */
const EVENTS_PER_PIECE = 40;
/** Interval of the comments that keep proxies from closing an idle stream. */
const BEAT_MS = 15 * SECOND_MS;

/**
 * Opens the event stream of one subscriber, with the signals after the sequence number `after`. `after` null, for a
 * client whose event id is invalid: an event `gap`, then only new signals. Throws if too many streams are open. The
 * stream ends when the key stops working, the process stops, the client disconnects or stops reading, or events cannot
 * be read.
 */
export function openSubscriberStream(
  request: Request,
  key: ApiKey,
  after: number | null,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new SubscriberStream(request, key, after).stream.body;
}

class SubscriberStream implements OpenRequest {
  readonly way = "stream";
  readonly stream: EventStream;
  #releases: (() => void)[] = [];
  /** All signals in scope up to this number were sent. */
  #sent: number;
  /** The event id of the signal `#sent`, from which the client resumes; with a checksum once the signal is known. */
  #eventId: number;
  /** The position in the list of champion changes up to which changes were sent; null: none was determined yet. */
  #sentModels: number | null = null;
  #isTelling = false;
  /** The newest state that is not sent yet; null: none is waiting. */
  #next: ApiKey | null = null;

  constructor(
    request: Request,
    public key: ApiKey,
    after: number | null,
  ) {
    this.#sent = after ?? key.versions.lastSeq;
    this.#eventId = this.#sent;
    this.#releases.push(changeHub().addRequest(this));
    this.stream = new EventStream(request, () => this.#release());
    if (!this.stream.isOpen) return;
    this.#releases.push(healthStatusWatcher().listen((state) => this.#tellStatus(state)));
    const timer = setInterval(() => this.#beat(), BEAT_MS);
    this.#releases.push(() => clearInterval(timer));
    this.stream.writeIfRoom(encodeEvents("retry: 2000\n\n"));
    if (after === null) this.#sendRestart();
    void this.#open();
  }

  async moved(): Promise<void> {
    this.#next = this.key;
    const { scope, seenAt, versions } = this.key;
    const { signals, models, lastSeq } = versions;
    // Loads caches that all streams share. A failure here is ignored: it is handled where the value is used.
    await Promise.allSettled([
      readSignalSnapshot(scope, signals, seenAt),
      signalReplayCache().readUpTo(lastSeq),
      championChangeLog().placeAt(models),
    ]);
    // Not awaited: a slow client must not delay the others.
    void this.#tell();
  }

  ended({ code, detail }: AppError): void {
    this.stream.writeIfRoom(encodeEvents(eventText("end", { code, detail })));
    this.stream.close();
  }

  stopped(): void {
    this.stream.writeIfRoom(encodeEvents(`retry: 1000\n${this.#idIfUpToDate()}\n`));
    this.stream.close();
  }

  #release(): void {
    for (const release of this.#releases) release();
    this.#releases = [];
  }

  /** Sends a comment. If all signals were sent, it also advances the event id past signals outside the client's scope. */
  #beat(): void {
    this.stream.writeIfRoom(encodeEvents(`: \n${this.#idIfUpToDate()}\n`));
  }

  /** The line with the event id. Empty while signals are sent: their ids may be ahead of it. */
  #idIfUpToDate(): string {
    return this.#isTelling || this.#next !== null ? "" : `id: ${this.#eventId}\n`;
  }

  async #open(): Promise<void> {
    const { status, reasons } = await readHealth();
    this.#tellStatus({ status, reasons });
    this.#next ??= this.key;
    await this.#tell();
  }

  #tellStatus(state: HealthSummary): void {
    this.stream.writeIfRoom(encodeEvents(eventText("status", state)));
  }

  /** Sends everything up to the newest state. Only one call runs at a time; states that come meanwhile replace each other. */
  async #tell(): Promise<void> {
    if (this.#isTelling) return;
    this.#isTelling = true;
    try {
      while (this.#next !== null && this.stream.isOpen) {
        const key = this.#next;
        this.#next = null;
        await this.#sendSignals(key);
        await this.#tellModels(key);
      }
    } catch (error) {
      // The client reconnects and resumes from the last event id that was sent.
      log("warn", "a stream could not continue", { error: errorFacts(error) });
      this.stream.close();
    } finally {
      this.#isTelling = false;
    }
  }

  async #sendSignals(key: ApiKey): Promise<void> {
    const { lastSeq } = key.versions;
    if (lastSeq < this.#sent) {
      // The database was restored to an earlier state, from which its sequence numbers continue.
      this.#sent = lastSeq;
      signalReplayCache().forget();
      this.#sendRestart();
    }
    if (lastSeq === this.#sent) return void this.#sendEventId();
    const { pieces, after, upTo } = await piecesFor(key, this.#sent);
    for (const piece of pieces) await this.stream.write(piece);
    this.#sent = lastSeq;
    if (upTo > after && this.stream.isOpen) this.#noteFetch(key, after, upTo);
    this.#sendEventId();
  }

  /** Sends an event `gap` up to the current number, because the client's event id is invalid after a restore. */
  #sendRestart(): void {
    const to = this.#sent;
    this.#eventId = to;
    this.stream.writeIfRoom(encodeEvents(eventText("gap", { from: Math.min(1, to), to }, to)));
  }

  /** Advances the client's event id past signals outside its scope, without an event. */
  #sendEventId(): void {
    const eventId = encodeEventId(this.#sent, signalReplayCache().cached(this.#sent));
    if (eventId === this.#eventId) return;
    this.#eventId = eventId;
    this.stream.writeIfRoom(encodeEvents(`id: ${eventId}\n\n`));
  }

  #noteFetch({ subscriptionId, seenAt }: ApiKey, after: number, upTo: number): void {
    signalFetchBuffer().add({
      subscriptionId,
      way: "stream",
      slotId: 0,
      minConfidence: 0,
      upTo,
      reach: upTo - after,
      atMs: seenAt.getTime(),
    });
  }

  async #tellModels({ scope, versions }: ApiKey): Promise<void> {
    const place = await championChangeLog().placeAt(versions.models);
    const from = this.#sentModels ?? place;
    this.#sentModels = place;
    for (const { symbol, timeframe, modelV } of championChangeLog().between(from, place)) {
      if (!scopeIncludes(scope, symbol, timeframe)) continue;
      await this.stream.write(encodeEvents(eventText("model", { symbol, timeframe, model_v: modelV })));
    }
  }
}

/** Serialised events. They contain the signals in scope after `after` and up to `upTo` (sequence numbers). */
interface EventPieces {
  pieces: Uint8Array<ArrayBuffer>[];
  after: number;
  upTo: number;
}

/** The events after a sequence number, serialised once for all streams with this scope and position. */
function piecesFor({ scope, versions, seenAt }: ApiKey, after: number): Promise<EventPieces> {
  const { signals: version, lastSeq: upTo } = versions;
  const cache = windowCache<EventPieces>("stream.pieces", 50);
  return cache.get(`${scope.id}|${after}|${upTo}`, version, seenAt, async () => {
    const { pauses } = await readSignalSnapshot(scope, version, seenAt);
    const { gap, signals } = await signalReplayCache().since(scope, after, upTo);
    const committed = { gap, signals: signals.filter((signal) => coveringPause(pauses, signal) === null) };
    const range = { after: committed.gap?.to ?? after, upTo: committed.signals.at(-1)?.seq ?? 0 };
    return { value: { pieces: writePieces(committed), ...range }, validUntil: null };
  });
}

function writePieces({ signals, gap }: MissedSignals): Uint8Array<ArrayBuffer>[] {
  const texts = signals.map((signal) =>
    eventText("signal", { ...toScanItem(signal), pred_id: signal.predId }, signal.seq),
  );
  if (gap) texts.unshift(eventText("gap", gap, gap.to));
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  for (let i = 0; i < texts.length; i += EVENTS_PER_PIECE)
    pieces.push(encodeEvents(texts.slice(i, i + EVENTS_PER_PIECE).join("")));
  return pieces;
}

/** The text of one server-sent event. Without an `id` the client's last event id does not change. */
function eventText<N extends StreamEventName>(
  name: N,
  data: z.output<(typeof StreamEvents)[N]>,
  id?: number,
): string {
  const idLine = id === undefined ? "" : `id: ${id}\n`;
  return `${idLine}event: ${name}\ndata: ${serialiseBody(StreamEvents[name], data)}\n\n`;
}
