/** First calls in three languages, with the site's address and without a key. */
export function firstCallSnippets(baseUrl: string): { name: string; code: string }[] {
  return [
    {
      name: "curl",
      code: `curl -sS "${baseUrl}/api/scan" \\
  -H "X-API-Key: $API_KEY"`,
    },
    {
      name: "Python",
      code: `import os
import requests

answer = requests.get(
    "${baseUrl}/api/scan",
    headers={"X-API-Key": os.environ["API_KEY"]},
    timeout=10,
)
answer.raise_for_status()
for item in answer.json()["items"]:
    print(item["symbol"], item["timeframe"], item["signal"], item["confidence"])`,
    },
    {
      name: "MQL5",
      code: `input string InpApiUrl = "${baseUrl}";
input string InpApiKey = "";

int OnInit()
  {
   EventSetTimer(60);
   return(INIT_SUCCEEDED);
  }

void OnTimer()
  {
   char   nothing[], answer[];
   string headers = "X-API-Key: " + InpApiKey + "\\r\\n", answered;
   ResetLastError();
   int status = WebRequest("GET", InpApiUrl + "/api/scan", headers, 8000, nothing, answer, answered);
   if(status == 200)
      Print(CharArrayToString(answer, 0, WHOLE_ARRAY, CP_UTF8));
   else
      Print("status ", status, ", code ", GetLastError());
  }`,
    },
  ];
}
