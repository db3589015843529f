import { expect, it } from "vitest";
import { formRoute, NoFields } from "@/lib/auth/form-route";
import { allowAnyone } from "@/lib/auth/guards";
import { dispatchByIntent } from "@/lib/auth/intents";
import { formRequest } from "@/tests/support/admin-browser";

const to = (page: string) =>
  formRoute({ name: page, guard: allowAnyone, fields: NoFields, page: () => page, act: async () => ({}) });
const handler = dispatchByIntent({ start: to("/started"), "end-all": to("/ended") });

it.each([
  ["?intent=start", 303, "/started"],
  ["?intent=end-all", 303, "/ended"],
  ["?intent=end-all&intent=start", 303, "/ended"],
  ["", 404, null],
  ["?intent=", 404, null],
  ["?intent=START", 404, null],
  ["?intent=constructor", 404, null],
  ["?intent=__proto__", 404, null],
])("a form sent with %j gets %i and redirects to %j", async (query, status, location) => {
  const answer = await handler(formRequest(`/thing/act${query}`, {}));
  expect([answer.status, answer.headers.get("location")]).toEqual([status, location]);
});
