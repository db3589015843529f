import type { Language } from "@/app/_components/code-tabs";

/** The code of the documentation, once. A test runs the commands in their order against the real service. */

export interface Snippet {
  name: string;
  code: string;
}

/** From nothing to a closed position, each step in every language. `baseUrl` has no trailing slash. */
export const firstSteps = (baseUrl: string) =>
  ({
    start: {
      curl: `export BASE_URL=${baseUrl}\nexport API_KEY=paste-your-key-here`,
      powershell: `$BaseUrl = "${baseUrl}"\n$Headers = @{ "X-API-Key" = "paste-your-key-here" }`,
      python: `# pip install requests
import requests
from datetime import datetime, timezone

BASE_URL = "${baseUrl}"
service = requests.Session()
service.headers["X-API-Key"] = "paste-your-key-here"`,
      node: `// first.mjs, Node 20 or newer
const baseUrl = "${baseUrl}";
const headers = { "X-API-Key": "paste-your-key-here" };`,
      mql5: `// In the folder of SignalDelivery.mqh. Allow the address under Tools, Options, Expert Advisors.
#include "SignalDelivery.mqh"

CSignalDelivery Service;

int OnInit()
  {
   Service.Init("${baseUrl}","paste-your-key-here");
   return(INIT_SUCCEEDED);
  }`,
    },
    scan: {
      curl: `curl -sS "$BASE_URL/api/scan?expand=validity" \\\n  -H "X-API-Key: $API_KEY"`,
      powershell: `(Invoke-RestMethod "$BaseUrl/api/scan?expand=validity" -Headers $Headers).items |
  Format-Table symbol, timeframe, signal, confidence, stale`,
      python: `answer = service.get(f"{BASE_URL}/api/scan", params={"expand": "validity"}, timeout=10)
answer.raise_for_status()
for item in answer.json()["items"]:
    print(item["symbol"], item["timeframe"], item["signal"], item["confidence"], item["stale"])`,
      node: `const answer = await fetch(\`\${baseUrl}/api/scan?expand=validity\`, { headers });
if (!answer.ok) throw new Error(await answer.text());
console.table((await answer.json()).items, ["symbol", "timeframe", "signal", "confidence", "stale"]);`,
      mql5: `SDSignal signal;
if(!Service.Find("EURUSD","H1",signal))
   Print(Service.Problem());
else if(!signal.stale)
   Print(signal.direction," ",signal.pred_id);`,
    },
    open: {
      curl: `curl -sS "$BASE_URL/api/executions" \\
  -H "X-API-Key: $API_KEY" \\
  -d '{"ticket": 1001, "symbol": "EURUSD", "timeframe": "H1", "signal": "BUY",
       "entry_price": 1.08421}'`,
      powershell: `$Report = @{ ticket = 1001; symbol = "EURUSD"; timeframe = "H1"; signal = "BUY"; entry_price = 1.08421 }
Invoke-RestMethod "$BaseUrl/api/executions" -Method Post -Headers $Headers \`
  -ContentType "application/json" -Body ($Report | ConvertTo-Json)`,
      python: `opened = service.post(f"{BASE_URL}/api/executions", timeout=10, json={
    "ticket": 1001, "symbol": "EURUSD", "timeframe": "H1", "signal": "BUY", "entry_price": 1.08421,
})
print(opened.json())`,
      node: `const report = async (position) => {
  const reported = await fetch(\`\${baseUrl}/api/executions\`, {
    method: "POST",
    headers,
    body: JSON.stringify(position),
  });
  console.log(await reported.json());
};
await report({ ticket: 1001, symbol: "EURUSD", timeframe: "H1", signal: "BUY", entry_price: 1.08421 });`,
    },
    close: {
      curl: `curl -sS "$BASE_URL/api/executions" \\
  -H "X-API-Key: $API_KEY" \\
  -d '{"ticket": 1001, "exit_price": 1.08655, "pnl": 23.40, "result": "TP",
       "closed_at": "'"$(date -u +%Y-%m-%dT%H:%M:%SZ)"'"}'`,
      powershell: `$Closing = @{ ticket = 1001; exit_price = 1.08655; pnl = 23.40; result = "TP"
  closed_at = (Get-Date).ToUniversalTime().ToString("s") + "Z" }
Invoke-RestMethod "$BaseUrl/api/executions" -Method Post -Headers $Headers \`
  -ContentType "application/json" -Body ($Closing | ConvertTo-Json)`,
      python: `closed = service.post(f"{BASE_URL}/api/executions", timeout=10, json={
    "ticket": 1001, "exit_price": 1.08655, "pnl": 23.40, "result": "TP",
    "closed_at": datetime.now(timezone.utc).isoformat(),
})
print(closed.json())`,
      node: `await report({
  ticket: 1001, exit_price: 1.08655, pnl: 23.4, result: "TP", closed_at: new Date().toISOString(),
});`,
    },
    list: {
      curl: `curl -sS "$BASE_URL/api/account/executions" \\\n  -H "X-API-Key: $API_KEY"`,
      powershell: `(Invoke-RestMethod "$BaseUrl/api/account/executions" -Headers $Headers).executions`,
      python: `print(service.get(f"{BASE_URL}/api/account/executions", timeout=10).json())`,
      node: `const mine = await fetch(\`\${baseUrl}/api/account/executions\`, { headers });
console.log(await mine.json());`,
    },
  }) satisfies Record<string, Partial<Record<Language, string>>>;

/** What the service answers to the first steps, as the reader will see it but for numbers and times of their own. */
export const FIRST_ANSWERS = {
  scan: `{
  "items": [
    {
      "symbol": "EURUSD",
      "timeframe": "H1",
      "signal": "BUY",
      "confidence": 0.523871,
      "prob_buy": 0.523871,
      "prob_sell": 0.198004,
      "prob_no": 0.278125,
      "regime": "TREND_UP",
      "expected_rr": 1.5,
      "ts": "2026-11-20T10:00:00Z",
      "model_v": "gbt-7",
      "pred_id": 90214,
      "valid_until": "2026-11-20T12:15:00Z",
      "age_minutes": 3.2,
      "stale": false
    }
  ],
  "plan_tier": "basic",
  "filtered_by_plan": true
}`,
  open: `{
  "ok": true,
  "action": "created",
  "exec_id": 812,
  "ticket": 1001
}`,
  close: `{
  "ok": true,
  "action": "updated",
  "exec_id": 812,
  "ticket": 1001
}`,
  list: `{
  "executions": [
    {
      "exec_id": 812,
      "ticket": 1001,
      "symbol": "EURUSD",
      "timeframe": "H1",
      "signal": "BUY",
      "confidence": null,
      "opened_at": "2026-11-20T11:00:05Z",
      "closed_at": "2026-11-20T11:04:40Z",
      "entry_price": 1.08421,
      "exit_price": 1.08655,
      "pnl": 23.4,
      "result": "TP"
    }
  ],
  "summary": {
    "days": 30,
    "n_total": 1,
    "n_closed": 1,
    "n_wins": 1,
    "n_losses": 0,
    "win_rate_pct": 100,
    "profit_factor": null,
    "total_pnl": 23.4,
    "gross_profit": 23.4,
    "gross_loss": 0
  }
}`,
} satisfies Record<string, string>;

/** The same with the Python client of the kit. */
export const pythonSteps = (baseUrl: string) =>
  ({
    install: {
      name: "Shell",
      code: `curl -sSO ${baseUrl}/ea-kit/signal_delivery.py`,
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
  if ([401, 403].includes(answer?.status)) throw new Error(await answer.text());
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
