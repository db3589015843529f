import { randomBytes } from "node:crypto";
import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { PAGE_ADDRESS_HEADER } from "@/lib/api/page-address";
import { env } from "@/lib/runtime/env";
import { type PageRequest, pageRequest } from "@/lib/runtime/page-request";
import { NONCE_HEADER, securityHeaders } from "@/lib/server/security-headers";
import { answerFailure, replaceFailure } from "./failed-page";
import { cutDocument } from "./gapped-document";
import { holdTexts, withTexts } from "./held-texts";
import { holdBack } from "./hold-back";
import type { CutPage, PageMaker, PageVariant } from "./page-maker";
import { plainHtml, sendPlainPage } from "./plain-page";

type NodeListener = (request: IncomingMessage, response: ServerResponse) => unknown;

/** Makes pages where it is called, by Next's own listener. */
export function localMaker(next: NodeListener): PageMaker {
  holdTexts();
  return {
    answer: async (request, response, { page, isHandler, isPlain }) => {
      if (!isHandler) replaceFailure(response, () => page.isUnavailable);
      try {
        await pageRequest.run(page, () =>
          isPlain ? sendPlainPage(request, response, next) : next(request, response),
        );
      } catch (error) {
        answerFailure(response, page, error);
      }
    },
    make: (variant) => makePage(next, variant),
  };
}

/** Stands in a public page where each answer has its own nonce. */
const NONCE_MARK = randomBytes(16).toString("base64");

/** Lets Next make a page for nobody in particular: a request with address and theme, without a caller or a session. */
async function makePage(next: NodeListener, { template, address, theme }: PageVariant): Promise<CutPage> {
  const request = new IncomingMessage(new Socket());
  request.method = "GET";
  request.url = address;
  request.httpVersion = "1.1";
  request.headers = {
    host: new URL(env().baseUrl).host,
    cookie: `theme=${theme}`,
    accept: "text/html",
    "content-security-policy": securityHeaders({
      nonce: NONCE_MARK,
      https: env().baseUrl.startsWith("https:"),
      // A page has the headers of a page, whatever a name in its address ends in.
      pathname: template,
    })["Content-Security-Policy"],
    [NONCE_HEADER]: NONCE_MARK,
    [PAGE_ADDRESS_HEADER]: address,
  };
  request.push(null);
  const response = new ServerResponse(request);
  const held = holdBack(response);
  const texts: string[] = [];
  const page: PageRequest = { template, isUnavailable: false, reader: null, texts };
  const failed = new Promise<never>((_, fail) => {
    pageRequest.run(page, async () => next(request, response)).catch(fail);
  });
  const body = await Promise.race([held.body, failed]);
  const headers = response.getHeaders();
  for (const name of ["transfer-encoding", "content-length", "link", "connection", "keep-alive", "date"])
    delete headers[name];
  // Next waits for the end of the response.
  response.emit("finish");
  response.emit("close");
  return {
    status: response.statusCode,
    headers: { ...headers },
    document: await cutDocument(withTexts(plainHtml(body.toString("utf8")), texts), NONCE_MARK),
    isUnavailable: page.isUnavailable,
  };
}
