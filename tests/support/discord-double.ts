import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface DiscordMessage {
  content?: string;
  embeds?: { title: string; description: string; color: number; footer?: { text: string } }[];
  flags?: number;
  allowed_mentions?: { parse: string[] };
}

export interface DiscordDouble {
  /** Creates a webhook and returns its URL. */
  webhook(): string;
  /** The messages that the webhook with this URL accepted, oldest first; none after `remove`. */
  sentTo(url: string): DiscordMessage[];
  /** Number of calls to the webhook with this URL, refused ones included; 0 after `remove`. */
  callsTo(url: string): number;
  /** Deletes the webhook with this URL: further calls get 404. */
  remove(url: string): void;
  /**
   * Answers each further call with this function; if it returns false, the usual answer is sent. `store` accepts the
   * message. null restores the usual answers.
   */
  fail(how: ((response: ServerResponse, store: () => void) => boolean) | null): void;
  close(): Promise<void>;
}

const PATH = /^\/api\/v10\/webhooks\/([0-9]+)\/([\w-]+)\?wait=true$/;

/** Starts a server for Discord's "Execute Webhook" that refuses messages over the limits in `isAllowed`. */
export async function startDiscord(): Promise<DiscordDouble> {
  const hooks = new Map<string, { token: string; messages: DiscordMessage[]; calls: number }>();
  let failing: ((response: ServerResponse, store: () => void) => boolean) | null = null;
  let nextId = 900_000_000_000_000_000n;

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const reply = (status: number, body: object) => {
        response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
      };
      const [, id = "", token] = PATH.exec(request.url ?? "") ?? [];
      const hook = hooks.get(id);
      if (request.method !== "POST" || hook === undefined)
        return reply(404, { message: "Unknown Webhook", code: 10015 });
      hook.calls++;
      if (hook.token !== token) return reply(401, { message: "Invalid Webhook Token", code: 50027 });
      const message: DiscordMessage = JSON.parse(Buffer.concat(chunks).toString("utf8"));
      const store = () => hook.messages.push(message);
      if (failing?.(response, store)) return;
      if (!isAllowed(message)) return reply(400, { message: "Invalid Form Body", code: 50035 });
      store();
      return reply(200, { id: String(nextId++), type: 0, webhook_id: id });
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  // The address of a listening TCP server is an object.
  const { port } = server.address() as AddressInfo;
  const hookOf = (url: string) => hooks.get(url.split("/").at(-2) ?? "");

  return {
    webhook() {
      const id = String(nextId++);
      const token = `${id}-token`.padEnd(68, "x");
      hooks.set(id, { token, messages: [], calls: 0 });
      return `http://127.0.0.1:${port}/api/webhooks/${id}/${token}`;
    },
    sentTo: (url) => hookOf(url)?.messages ?? [],
    callsTo: (url) => hookOf(url)?.calls ?? 0,
    remove(url) {
      hooks.delete(url.split("/").at(-2) ?? "");
    },
    fail(how) {
      failing = how;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((done) => server.close(() => done()));
    },
  };
}

/**
 * Whether a message keeps the limits for content, embeds, titles and descriptions:
 * https://discord.com/developers/docs/resources/message#embed-object-embed-limits
 */
function isAllowed({ content = "", embeds = [] }: DiscordMessage): boolean {
  const lengths = embeds.map(
    ({ title, description, footer }) => title.length + description.length + (footer?.text.length ?? 0),
  );
  return (
    (content !== "" || embeds.length > 0) &&
    content.length <= 2_000 &&
    embeds.length <= 10 &&
    embeds.every(({ title, description }) => title.length <= 256 && description.length <= 4_096) &&
    lengths.reduce((sum, length) => sum + length, 0) <= 6_000
  );
}
