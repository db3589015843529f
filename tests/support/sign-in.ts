/** Sends a sign-in form as a page of this site would, to a running server. Returns the cookie of the session. */
export async function signInByForm(
  url: string,
  path: "/login/by-key" | "/admin/sign-in/enter",
  fields: Record<string, string>,
): Promise<string> {
  const answer = await fetch(url + path, {
    method: "POST",
    redirect: "manual",
    headers: { "Sec-Fetch-Site": "same-origin" },
    body: new URLSearchParams(fields),
  });
  const [pair] =
    answer.headers
      .getSetCookie()
      .find((cookie) => /session/.test(cookie))
      ?.split(";") ?? [];
  if (pair === undefined) throw new Error(`not signed in at ${path}: ${answer.status}`);
  return pair;
}
