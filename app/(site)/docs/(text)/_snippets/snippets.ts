/** The code of the documentation, once. A test runs the commands in their order against the real service. */

export interface Snippet {
  name: string;
  code: string;
}

/** Step by step with curl, from nothing to a closed position. `baseUrl` has no trailing slash. */
export const curlSteps = (baseUrl: string) =>
  ({
    variables: {
      name: "Shell",
      code: `export BASE_URL=${baseUrl}\nexport API_KEY=paste-your-key-here`,
    },
    scan: {
      name: "curl",
      code: `curl -sS "$BASE_URL/api/scan?expand=validity" \\\n  -H "X-API-Key: $API_KEY"`,
    },
    open: {
      name: "curl",
      code: `curl -sS "$BASE_URL/api/executions" \\
  -H "X-API-Key: $API_KEY" \\
  -d '{"ticket": 1001, "symbol": "EURUSD", "timeframe": "H1", "signal": "BUY",
       "entry_price": 1.08421}'`,
    },
    close: {
      name: "curl",
      code: `curl -sS "$BASE_URL/api/executions" \\
  -H "X-API-Key: $API_KEY" \\
  -d '{"ticket": 1001, "exit_price": 1.08655, "pnl": 23.40, "result": "TP",
       "closed_at": "'"$(date -u +%Y-%m-%dT%H:%M:%SZ)"'"}'`,
    },
    list: {
      name: "curl",
      code: `curl -sS "$BASE_URL/api/account/executions" \\\n  -H "X-API-Key: $API_KEY"`,
    },
  }) satisfies Record<string, Snippet>;

/** The same with the Python client of the kit. */
export const pythonSteps = (baseUrl: string) =>
  ({
    install: {
      name: "Shell",
      code: `curl -sSO ${baseUrl}/ea-kit/signal_delivery.py\npython3 -m pip install requests`,
    },
    program: {
      name: "follow.py",
      code: `import os
from datetime import datetime, timezone
from signal_delivery import SignalDelivery

service = SignalDelivery(os.environ["BASE_URL"], os.environ["API_KEY"])

for signal in service.scan():
    print(signal["symbol"], signal["timeframe"], signal["signal"], signal["confidence"])

now = datetime.now(timezone.utc)
service.report(1002, symbol="EURUSD", timeframe="H1", signal="SELL",
               entry_price=1.08655, opened_at=now)
print(service.report(1002, exit_price=1.08490, pnl=16.50, result="MANUAL", closed_at=now))`,
    },
    run: { name: "Shell", code: "python3 follow.py" },
  }) satisfies Record<string, Snippet>;

/** The two inputs of the sample EA. */
export const eaInputs = (baseUrl: string): Snippet => ({
  name: "Inputs of SignalFollower",
  code: `InpApiUrl = ${baseUrl}\nInpApiKey = paste-your-key-here`,
});

/** A report from MQL5 without the kit: what to mind. */
export const mqlReport: Snippet = {
  name: "MQL5",
  code: `char   sent[], received[];
string headers = "X-API-Key: " + InpApiKey + "\\r\\nContent-Type: application/json\\r\\n";
string answer_headers;

// The length keeps the terminating zero out of the body.
StringToCharArray(body, sent, 0, StringLen(body), CP_UTF8);

ResetLastError();
int status = WebRequest("POST", InpApiUrl + "/api/executions", headers, 8000,
                        sent, received, answer_headers);
if(status == -1)
   Print("No answer, code ", GetLastError());`,
};

/** How an operator checks and simulates a payment delivery. */
export const webhookSignature: Snippet = {
  name: "Shell",
  code: `BODY='{"event":"payment.invoice_paid","data":{"id":"inv-1","status":"paid","items":[{"productId":"3031361","name":"Basic monthly","quantity":1,"amount":29}],"buyer":{"name":"Ada","email":"ada@example.com"},"paid_at":"'$(date -u +%Y-%m-%dT%H:%M:%SZ)'"}}'
SIGNATURE=$(printf '%s' "$BODY" | openssl dgst -sha256 -hmac "$PAYMENT_WEBHOOK_SECRET" | sed 's/^.* //')
curl -sS "$BASE_URL/webhooks/payment" -H "x-signature: $SIGNATURE" -d "$BODY"`,
};

/** A wait and a stream in four languages. `baseUrl` has no trailing slash. */
export const liveSnippets = (baseUrl: string) =>
  ({
    wait: {
      name: "curl",
      code: `TAG=$(curl -sS -D - -o scan.json "$BASE_URL/api/scan" -H "X-API-Key: $API_KEY" |
  tr -d '\\r' | sed -n 's/^[Ee][Tt]ag: //p')
curl -sS -w '%{http_code}\\n' "$BASE_URL/api/scan?wait=25" \\
  -H "X-API-Key: $API_KEY" -H "If-None-Match: $TAG"`,
    },
    stream: {
      name: "curl",
      code: `curl -sS -N "$BASE_URL/api/stream?after=0" -H "X-API-Key: $API_KEY"`,
    },
    python: {
      name: "Python",
      code: `import os
from signal_delivery import SignalDelivery

service = SignalDelivery(os.environ["BASE_URL"], os.environ["API_KEY"])
for signal in service.follow():
    print(signal["symbol"], signal["timeframe"], signal["signal"])`,
    },
    node: {
      name: "Node",
      code: `const headers = { "X-API-Key": "paste-your-key-here" };
for (;;) {
  const answer = await fetch("${baseUrl}/api/stream", { headers }).catch(() => null);
  if (answer?.status === 401) throw new Error(await answer.text());
  let rest = "";
  try {
    for await (const chunk of answer?.ok ? answer.body.pipeThrough(new TextDecoderStream()) : []) {
      const blocks = (rest + chunk).split("\\n\\n");
      rest = blocks.pop();
      for (const block of blocks) {
        const id = /^id: (.+)$/m.exec(block);
        if (/^event: signal$/m.test(block)) console.log(/^data: (.+)$/m.exec(block)[1]);
        if (id) headers["Last-Event-ID"] = id[1];
      }
    }
  } catch {} // The connection broke: go on after the last number.
  await new Promise((done) => setTimeout(done, 2000));
}`,
    },
    mql: {
      name: "MQL5, with the kit",
      code: `// From OnTimer: WebRequest blocks the chart's thread while the service waits.
SDSignal signal;
if(Service.Find("EURUSD", "H1", signal, 25, 60) && !signal.stale)
   Print(signal.direction, " ", signal.pred_id);`,
    },
  }) satisfies Record<string, Snippet>;
