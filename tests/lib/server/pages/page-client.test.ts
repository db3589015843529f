import { expect, it } from "vitest";
import { useDatabase } from "@/tests/support/database";
import { get, useFront } from "@/tests/support/front";

useDatabase();

/** Answers that are held back. */
const held: (() => void)[] = [];
const running = useFront({
  findPage: (path) => (path === "/login" ? { template: path, kind: "page" } : null),
  next: (request, response) => {
    const answer = () => response.writeHead(200, { "Content-Type": "text/html" }).end("page");
    if (request.url?.includes("slow")) held.push(answer);
    else answer();
  },
});

it("one network has four pages in flight, and the other places are free meanwhile", async () => {
  const slow = Array.from({ length: 12 }, () => running.exchange(get("/login?slow")));
  await expect.poll(() => held.length).toBe(4);
  // What the front fetches for everybody belongs to no network.
  expect((await running.pages.fetchPage("/login", "system")).status).toBe(200);
  expect(held).toHaveLength(4);
  const release = setInterval(() => held.splice(0).map((answer) => answer()), 10);
  const statuses = (await Promise.all(slow)).map(({ status }) => status);
  clearInterval(release);
  expect(statuses).toEqual(Array(12).fill(200));
});
