import type { Snippet } from "./snippets";

/** Receivers of webhooks that check the signature and count each event once, without a library. */
export const webhookSnippets = () =>
  ({
    node: {
      name: "Node: receive.mjs",
      code: `import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import { env } from "node:process";

const secret = Buffer.from(env.WEBHOOK_SECRET.replace("whsec_", ""), "base64");

function isOurs(headers, body) {
  const at = headers["webhook-timestamp"];
  if (Math.abs(Date.now() / 1000 - Number(at)) > 300) return false;
  const signed = \`\${headers["webhook-id"]}.\${at}.\${body}\`;
  const expected = createHmac("sha256", secret).update(signed).digest();
  return String(headers["webhook-signature"]).split(" ").some((one) => {
    const sent = Buffer.from(one.replace("v1,", ""), "base64");
    return sent.length === expected.length && timingSafeEqual(sent, expected);
  });
}

const done = new Set(); // In earnest: a table, so that it outlives the program.

createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) body += chunk;
  if (!isOurs(request.headers, body)) return response.writeHead(401).end();
  const id = request.headers["webhook-id"];
  if (!done.has(id)) {
    const { type, data } = JSON.parse(body);
    console.log(type, JSON.stringify(data));
    done.add(id);
  }
  response.writeHead(204).end();
}).listen(Number(env.PORT ?? 8080));`,
    },
    python: {
      name: "Python: receive.py",
      code: `import base64, hashlib, hmac, json, os, time
from http.server import BaseHTTPRequestHandler, HTTPServer

secret = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))
done = set()  # In earnest: a table, so that it outlives the program.


def is_ours(headers, body):
    at = headers.get("webhook-timestamp", "0")
    if abs(time.time() - int(at)) > 300:
        return False
    signed = f"{headers.get('webhook-id')}.{at}.".encode() + body
    expected = base64.b64encode(hmac.new(secret, signed, hashlib.sha256).digest()).decode()
    sent = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(one, "v1," + expected) for one in sent)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        ours = is_ours(self.headers, body)
        if ours and self.headers["webhook-id"] not in done:
            event = json.loads(body)
            print(event["type"], json.dumps(event["data"]), flush=True)
            done.add(self.headers["webhook-id"])
        self.send_response(204 if ours else 401)
        self.end_headers()


HTTPServer(("", int(os.environ.get("PORT", "8080"))), Receiver).serve_forever()`,
    },
  }) satisfies Record<string, Snippet>;
