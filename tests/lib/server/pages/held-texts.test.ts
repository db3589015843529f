import type { IncomingMessage, ServerResponse } from "node:http";
import { afterEach, expect, it } from "vitest";
import { pageTexts } from "@/lib/runtime/page-texts";
import { KeptPages } from "@/lib/server/pages/kept-pages";
import { localMaker } from "@/lib/server/pages/local-maker";
import { useDatabase } from "@/tests/support/database";

useDatabase();

const { held } = pageTexts;
afterEach(() => {
  pageTexts.held = held;
});

const long = (sign: string) => `<tr>${sign.repeat(1_000)}</tr>`;
/** A page as the framework would make it: twice, as HTML and as data in a script. */
const pageOf = (make: () => string) => (_: IncomingMessage, response: ServerResponse) => {
  const body = make();
  response.setHeader("content-type", "text/html");
  response.end(`<table>${body}</table><script>self.data("${body}")</script>`);
};
const variant = (address: string) => ({ template: "/record", address, theme: "light" });
const sent = async (pages: KeptPages, address: string) =>
  Buffer.concat((await pages.get(variant(address))).document.fill("nonce")).toString();

it("a long text of a kept page does not go through the framework, and stands in its place", async () => {
  let made = "";
  const pages = new KeptPages(
    localMaker(
      pageOf(() => {
        made = `${pageTexts.held(long("a"))}<tr>between $& $1;</tr>${pageTexts.held(long("$&"))}${pageTexts.held("<tr>short</tr>")}`;
        return made;
      }),
    ),
  );
  expect(await sent(pages, "/record")).toBe(
    `<table>${long("a")}<tr>between $& $1;</tr>${long("$&")}<tr>short</tr></table>`,
  );
  expect(made.length).toBeLessThan(200);
});

it("pages that are made at the same time have their own texts", async () => {
  const pages = new KeptPages(
    localMaker((request, response) => {
      const own = request.url?.slice(-1) ?? "";
      const first = pageTexts.held(long(own));
      setTimeout(() => pageOf(() => first + pageTexts.held(long(`${own}!`)))(request, response), 5);
    }),
  );
  const addresses = ["/record?a", "/record?b", "/record?c"];
  const bodies = await Promise.all(addresses.map((address) => sent(pages, address)));
  expect(bodies).toEqual(["a", "b", "c"].map((own) => `<table>${long(own)}${long(`${own}!`)}</table>`));
});

it("a page that nobody keeps carries its texts itself", () => {
  localMaker(() => undefined);
  expect(pageTexts.held(long("a"))).toBe(long("a"));
});
